/** One request to a remote hub, with a hub token: bounded in time and size, never redirected. */

import { type Refusal, type RefusalCode, refuse, type Secret, statusOf } from '@latchkey/protocol'
import { ask, type HttpAnswer, reasonOf, tlsReason } from '@latchkey/service/http/ask'
import { type Stop, unavailable } from '../output/stop.ts'
import { traced } from '../output/traced.ts'
import { isObject, membersOf, textOf, textsOf } from '../reading/members-of.ts'

export interface Hub {
  readonly url: string
  readonly token: Secret<'hub-token'>
  /** The variable that the token came from, if it came from one. */
  readonly variable?: string
}

export interface ManagementQuestion {
  readonly method: string
  readonly path: string
  readonly body?: string
}

const maxResponseBytes = 32 * 1024 * 1024
const timeoutMs = 60_000

export async function askHub(hub: Hub, question: ManagementQuestion): Promise<unknown> {
  const response = await send(hub, question)
  if (response.status >= 300 && response.status < 400) {
    response.discard()
    throw unavailable(
      `${hub.url} responds with a redirect, which latchkey does not follow: use the final address`,
    )
  }
  const answer = parseJson(await readBounded(response, hub), hub.token)
  if (!response.isOk) return refusalFrom(answer, response, hub)
  // Every verb answers with an object.
  if (!isObject(answer)) throw noHub(hub)
  return answer
}

async function send(
  { url, token }: Hub,
  { method, path, body }: ManagementQuestion,
): Promise<HttpAnswer> {
  const isJson = body === undefined ? {} : { 'content-type': 'application/json' }
  const authorization = `Bearer ${token.reveal()}`
  try {
    return await ask(url + path, {
      ...{ method, headers: { authorization, accept: 'application/json', ...isJson }, body },
      signal: AbortSignal.timeout(timeoutMs),
    })
  } catch (error) {
    const cause = causeOf(error)
    const advice = tlsReason(cause) ?? 'check --hub, and that the hub runs'
    throw unavailable(`the hub ${url} cannot be reached (${cause}); ${advice}`)
  }
}

async function readBounded(response: HttpAnswer, { url }: Hub): Promise<string> {
  const answer = await response.read(maxResponseBytes).catch((error) => {
    throw unavailable(`${url} stopped in the middle of its response (${causeOf(error)})`)
  })
  if (answer === undefined) throw unavailable(`${url} sent a response of more than 32 MiB`)
  return answer.toString('utf8')
}

function refusalFrom(answer: unknown, response: HttpAnswer, hub: Hub): Refusal {
  const { code, detail, ...more } = membersOf(answer)
  if (!isRefusalCode(code) || typeof detail !== 'string') {
    throw noHub(hub, ` (status ${response.status})`)
  }
  const [missing, path, requestId] = ['missing', 'path', 'requestId'].map((name) =>
    textOf(more[name]),
  )
  const next = textsOf(more['next'])
  const message = tokenNotTaken(code, hub) ?? detail
  return refuse(code, traced(message, requestId), {
    ...(missing === undefined ? {} : { missing }),
    ...(path === undefined ? {} : { path }),
    ...(next === undefined ? {} : { next }),
  })
}

/** The hub speaks of headers; a person has set a variable. */
function tokenNotTaken(code: RefusalCode, { url, variable }: Hub): string | undefined {
  if (code !== 'hub_token_invalid' || variable === undefined) return undefined
  return `${url} rejects the hub token from the environment (${variable}): it is mistyped, revoked or expired, or its account is disabled. Put a valid admin hub token there.`
}

function isRefusalCode(code: unknown): code is RefusalCode {
  return typeof code === 'string' && Object.hasOwn(statusOf, code)
}

export function noHub({ url }: Hub, more = ''): Stop {
  return unavailable(`${url} does not respond like a hub${more}, so it may not be one; check --hub`)
}

/** Without the hub token, which whoever answers has just been told. */
function parseJson(text: string, token: Secret<'hub-token'>): unknown {
  const cut = (text: string) => text.replaceAll(token.reveal(), '[hub-token]')
  const withoutToken = (_: string, value: unknown) => {
    if (typeof value === 'string') return cut(value)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [cut(name), member]))
  }
  try {
    return JSON.parse(text, withoutToken)
  } catch {
    return undefined
  }
}

const causeOf = (error: unknown) => reasonOf(error, 'no response in time')
