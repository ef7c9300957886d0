/** A hub and a storage behind one `fetch`, on a clock that the test moves. */

import { createStorageClient, type StorageClient, type StorageClientOptions } from '../src/index.ts'
import { type MovedClock, movedClock } from './moved-clock.ts'

export const hubUrl = 'https://hub.example'
export const casUrl = 'https://cas.example/r/bert/main'
export const hubToken = 'lk_hubTokenOfAda'

/** A request as it went over the wire. */
export interface Seen {
  readonly url: string
  readonly method: string
  readonly authorization: string | null
  readonly headers: Headers
  readonly redirect: string | undefined
  readonly signal: AbortSignal | null | undefined
  /** The body, read whole. */
  readonly body: string
}

export type Answer = Response | Error | undefined

export interface World {
  readonly clock: MovedClock
  readonly fetch: typeof fetch
  /** The token requests so far. */
  readonly asked: Seen[]
  /** The storage requests so far. */
  readonly stored: Seen[]
  /** Every request so far, wherever it went. */
  readonly seen: Seen[]
  /** The storage requests whose token was not good when they came. */
  readonly refused: Seen[]
  lifetimeSeconds: number
  /** Holds an answer of the hub back on its way. */
  slow: () => Promise<undefined> | undefined
  /** Answer instead of the hub or the storage; undefined leaves it to them, an error is the network's. */
  hub: (request: Seen) => Answer | Promise<Answer>
  storage: (request: Seen) => Answer | Promise<Answer>
  client(change?: Partial<StorageClientOptions>): StorageClient
}

export function openWorld({ clock = movedClock() } = {}): World {
  const valid = new Map<string, number>()
  const world: World = {
    clock,
    asked: [],
    stored: [],
    seen: [],
    refused: [],
    lifetimeSeconds: 900,
    slow: () => undefined,
    hub: () => undefined,
    storage: () => undefined,
    async fetch(input, init = {}) {
      const seen = await readSeen(String(input), init)
      init.signal?.throwIfAborted()
      world.seen.push(seen)
      const isToken = seen.url.includes('-token/')
      ;(isToken ? world.asked : world.stored).push(seen)
      const answer = await heard(isToken ? world.hub(seen) : world.storage(seen), init.signal)
      if (answer instanceof Error) throw answer
      if (!isToken) return answer ?? serve(seen)
      const token = answer ?? issue()
      await heard(world.slow(), init.signal)
      return token
    },
    client: (change = {}) =>
      createStorageClient({
        ...{ hubUrl, hubToken, repo: 'models/acme/bert', clock, fetch: world.fetch },
        random: () => 0.5,
        ...change,
      }),
  }

  const issue = (): Response => {
    const exp = Math.floor(clock.trueMs() / 1000) + world.lifetimeSeconds
    const accessToken = `access.token.${valid.size + 1}`
    valid.set(accessToken, exp)
    return tokenAnswer({ accessToken, exp, casUrl }, world)
  }
  /** Like the gate, but without leeway: a token is good before its `exp` and not at it. */
  const serve = (request: Seen): Response => {
    const exp = valid.get(request.authorization?.replace('Bearer ', '') ?? '') ?? 0
    if (exp * 1000 > clock.trueMs()) return new Response(request.body)
    world.refused.push(request)
    return new Response('', { status: 401 })
  }
  return world
}

export function tokenAnswer(members: object, { clock }: Pick<World, 'clock'>): Response {
  const date = new Date(clock.trueMs()).toUTCString()
  return new Response(JSON.stringify(members), { headers: { date } })
}

export function refusal(status: number, members: object = {}, headers: HeadersInit = {}): Response {
  return new Response(JSON.stringify(members), { status, headers })
}

type HeadersInit = ConstructorParameters<typeof Headers>[0]

/** As fetch does, a request that is called off ends even if nobody answers it. */
function heard(answer: Answer | Promise<Answer>, signal?: AbortSignal | null): Promise<Answer> {
  return new Promise((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
    Promise.resolve(answer).then(resolve, reject)
  })
}

export async function readSeen(url: string, init: RequestInit): Promise<Seen> {
  const headers = new Headers(init.headers)
  const method = init.method ?? 'GET'
  return {
    ...{ url, method, headers, redirect: init.redirect, signal: init.signal },
    authorization: headers.get('authorization'),
    body: init.body == null ? '' : await new Response(init.body).text(),
  }
}
