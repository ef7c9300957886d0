/** The hub and the storage of vectors/client.json, behind one `fetch`, on a clock that the runner moves. */

import type { HeaderText, ScriptedResponse } from '@latchkey/testing/vectors/client-script'
import type { MovedClock } from '../moved-clock.ts'
import { readSeen, type Seen } from '../world.ts'

export interface ScriptedNetwork {
  readonly fetch: typeof fetch
  readonly seen: Seen[]
  readonly toHub: Seen[]
  readonly toStorage: Seen[]
  hub: readonly ScriptedResponse[]
  storage: readonly ScriptedResponse[]
  /** The casUrl of each access token that the hub issued. */
  readonly homes: Map<string, string>
  readonly revoked: Set<string>
}

interface Defaults {
  readonly casUrl: string
  readonly lifetimeSeconds: number
}

type ResponseScript = Exclude<ScriptedResponse, 'default' | { failure: string }>

export function scriptedNetwork(clock: MovedClock, defaults: Defaults): ScriptedNetwork {
  const lives = new Map<string, number>()
  let issued = 0
  const network: ScriptedNetwork = {
    ...{ seen: [], toHub: [], toStorage: [], homes: new Map(), revoked: new Set() },
    ...{ hub: ['default'], storage: ['default'] },
    async fetch(input, init = {}) {
      const request = await readSeen(String(input), init)
      const side = request.url.includes('-token/') ? 'hub' : 'storage'
      network.seen.push(request)
      network[side === 'hub' ? 'toHub' : 'toStorage'].push(request)
      const [script = 'default', ...rest] = network[side]
      if (rest.length > 0) network[side] = rest
      if (typeof script === 'object' && 'failure' in script) return failed(script.failure, init)
      const options = script === 'default' ? {} : script
      const response = side === 'hub' ? answer(options) : store(request, script)
      if (options.afterSeconds !== undefined) await clock.after(options.afterSeconds)
      return response
    },
  }

  const answer = (script: ResponseScript): Response =>
    'status' in script || 'body' in script
      ? made(script, textOf(script.body ?? ''))
      : made(script, JSON.stringify(issue(script)))

  const issue = ({ token = {}, lifetimeSeconds = defaults.lifetimeSeconds }: ResponseScript) => {
    issued += 1
    const exp = Math.floor(clock.trueMs() / 1000) + lifetimeSeconds
    const usual = { accessToken: `access.${issued}.token`, exp, casUrl: defaults.casUrl }
    const members = Object.entries({ ...usual, ...token }).filter(([, value]) => value !== null)
    const { accessToken, casUrl, ...more } = Object.fromEntries(
      members.map(([name, value]) => [name, isPadded(value) ? textOf(value) : value]),
    ) as Record<string, unknown>
    lives.set(String(accessToken), exp)
    network.homes.set(String(accessToken), String(casUrl).replace(/\/$/, ''))
    return { accessToken, casUrl, ...more }
  }

  const store = (request: Seen, script: 'default' | ResponseScript): Response => {
    if (script !== 'default') return made(script, textOf(script.body ?? ''))
    const token = request.authorization?.replace('Bearer ', '') ?? ''
    const isGood = (lives.get(token) ?? 0) * 1000 > clock.trueMs() && !network.revoked.has(token)
    return made({ status: isGood ? 200 : 401 }, isGood ? request.body : '')
  }

  const made = ({ status = 200, headers = {} }: ResponseScript, body: string): Response => {
    const all = Object.entries({ date: { secondsFromNow: 0 }, ...headers })
    const written = all.flatMap(([name, value]): [string, string][] =>
      value === null ? [] : [[name, headerOf(value)]],
    )
    return new Response(body === '' ? null : body, { status, headers: written })
  }

  const headerOf = (value: Exclude<HeaderText, null>): string =>
    typeof value === 'string'
      ? value
      : new Date(clock.trueMs() + value.secondsFromNow * 1000).toUTCString()

  return network
}

function failed(failure: string, { signal }: RequestInit): Promise<Response> {
  if (failure === 'network') return Promise.reject(new TypeError('fetch failed'))
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function isPadded(value: unknown): value is { text: string; padTo: number } {
  return typeof value === 'object' && value !== null && 'padTo' in value
}

function textOf(body: unknown): string {
  if (typeof body === 'string') return body
  return isPadded(body) ? body.text.padEnd(body.padTo, 'a') : JSON.stringify(body)
}
