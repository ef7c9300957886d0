import type { Fault } from '../check.ts'

/** The hub under test, and the hub tokens of the world on it. */
export interface HubTarget {
  readonly url: string
  readonly fetch: typeof fetch
  readonly tokens: WorldTokens
  /** Every storage token of a response. */
  readonly seenTokens: Set<string>
}

/** A hub token by `account/name`, as the world names it. */
export type WorldTokens = ReadonlyMap<string, string>

export interface HubRequest {
  /** Follows the hub's URL. */
  readonly path: string
  readonly method?: string
  /** The `account/name` of a hub token; `none` sends no Authorization header. */
  readonly as?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface HubResponse {
  /** `GET /api/…`: what a report shows. */
  readonly request: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** `undefined` if the body is no JSON. */
  readonly body: unknown
}

export async function send(target: HubTarget, request: HubRequest): Promise<HubResponse> {
  const { path, method = 'GET', as = 'writer/write' } = request
  const authorization = as === 'none' ? {} : { authorization: `Bearer ${tokenOf(target, as)}` }
  const response = await target.fetch(`${target.url}${path}`, {
    method,
    headers: { ...authorization, ...request.headers },
    redirect: 'manual',
  })
  const text = await response.text()
  const body = jsonOf(text)
  const token = membersOf(body)['accessToken']
  if (typeof token === 'string') target.seenTokens.add(token)
  const { status, headers } = response
  return { request: `${method} ${path}`, status, headers, text, body }
}

/** `open` makes sure that the file has every hub token of the world. */
function tokenOf({ tokens }: HubTarget, name: string): string {
  const token = tokens.get(name)
  if (token === undefined) throw new Error(`the tokens file has no hub token ${name}`)
  return token
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** No members where it is no object. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? { ...value } : {}
}

/** `undefined` if the response has this status. */
export function expectStatus(response: HubResponse, ...statuses: readonly number[]) {
  return statuses.includes(response.status)
    ? undefined
    : unlike(response, `status ${statuses.join(' or ')}`)
}

export function unlike(response: HubResponse, expected: string, got?: string): Fault {
  return { expected, got: got ?? `status ${response.status}`, request: response.request }
}
