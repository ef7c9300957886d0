/** The hub under test, the hub tokens of the world on it, and requests for storage tokens. */

import { type Fault, NotApplicable } from '../check.ts'
import { isOutcome, jsonOf, membersOf, outcomeOf } from '../wire/outcome.ts'
import type { HeaderLine, RawClient, RawResponse } from '../wire/raw-request.ts'
import type { HubTokenName } from './world.ts'

export interface HubTarget {
  readonly client: Pick<RawClient, 'send'>
  /** The path of the hub's URL, before every target. */
  readonly basePath: string
  readonly tokens: WorldTokens
  /** Every storage token of a response: no report may contain one. */
  readonly seenTokens: Set<string>
  /** Replaces the keys of the hub, if the run has a command for it. */
  readonly rotate?: (() => Promise<void>) | undefined
  /** Revokes a storage token, if the run has a command for it. */
  readonly revoke?: ((storageToken: string) => Promise<void>) | undefined
}

/** A hub token by `account/name`, as the world names it. */
export type WorldTokens = ReadonlyMap<string, string>

export interface HubRequest {
  /** Names its difference from a usual request, for the report. */
  readonly about?: string
  readonly path: string
  readonly method?: string
  /** Without it and `authorization`, there is no Authorization header. */
  readonly as?: HubTokenName
  /** The whole header. */
  readonly authorization?: string
  readonly headers?: readonly HeaderLine[]
  readonly body?: string
  /** Without the headers that most clients send. */
  readonly isBare?: boolean
}

export interface HubResponse extends RawResponse {
  /** `GET /api/…`: what a report shows. */
  readonly request: string
  /** The members of a JSON object, or none. */
  readonly members: Readonly<Record<string, unknown>>
}

interface TokenPath {
  readonly type?: string
  readonly id?: string
  readonly word?: 'storage' | 'xet'
  readonly scope?: string
  /** Encoded as it goes into the path. */
  readonly revision?: string
}

export function tokenPath({
  type = 'models',
  id = 'conform/private',
  word = 'storage',
  scope = 'read',
  revision = 'main',
}: TokenPath = {}): string {
  return `/api/${type}/${id}/${word}-${scope}-token/${revision}`
}

const usualHeaders: readonly HeaderLine[] = [
  ['Accept', '*/*'],
  ['User-Agent', 'latchkey-conform'],
]

export async function send(target: HubTarget, request: HubRequest): Promise<HubResponse> {
  const { path, method = 'GET', as, headers = [], body, isBare = false } = request
  const authorization =
    as === undefined ? request.authorization : `Bearer ${hubTokenOf(target, as)}`
  const response = await target.client.send({
    method,
    target: `${target.basePath}${path}`,
    headers: [
      ...(isBare ? [] : usualHeaders),
      ...(authorization === undefined ? [] : [['Authorization', authorization] as const]),
      ...headers,
    ],
    ...(body !== undefined && { body }),
  })
  const members = membersOf(jsonOf(response.text))
  const token = members['accessToken']
  if (typeof token === 'string') target.seenTokens.add(token)
  return { ...response, request: lineOf(request), members }
}

export function hubTokenOf({ tokens }: HubTarget, name: HubTokenName): string {
  const token = tokens.get(name)
  if (token === undefined) throw new NotApplicable(`the tokens file has no hub token ${name}`)
  return token
}

const maxShownPath = 120

function lineOf({ method = 'GET', path, about }: HubRequest): string {
  const pathText = path.length > maxShownPath ? `${path.slice(0, maxShownPath)}…` : path
  return about === undefined ? `${method} ${pathText}` : `${method} ${pathText} (${about})`
}

export function unlike({ request }: HubResponse, expected: string, got: string): Fault {
  return { expected, got, request }
}

/** As `200`, or `404 not_found`: the code counts if the response has one. */
export type HubOutcome = `${number}` | `${number} ${string}`

/** A request and the outcomes that the clause permits. */
export type HubRow = readonly [request: HubRequest, ...expected: HubOutcome[]]

/** The fault of the first request with another response. */
export async function firstFault(
  target: HubTarget,
  rows: readonly HubRow[],
): Promise<Fault | undefined> {
  for (const [request, ...expected] of rows) {
    const response = await send(target, request)
    if (!expected.some((outcome) => holds(response, outcome))) {
      return unlike(response, expected.join(' or '), outcomeOf(response))
    }
  }
  return undefined
}

function holds(response: HubResponse, outcome: HubOutcome): boolean {
  return outcome === String(response.status) || isOutcome(response, outcome)
}

/** The request that most checks begin with: everybody who may read sends it. */
export const usualRequest = { path: tokenPath(), as: 'reader/read' } as const satisfies HubRequest

/** A response with a token. Another check reports why there is none. */
export async function tokenResponse(
  target: HubTarget,
  request: HubRequest = usualRequest,
): Promise<HubResponse> {
  const response = await send(target, request)
  if (response.status !== 200) {
    throw new NotApplicable(`${response.request} gets status ${response.status}, and no token`)
  }
  return response
}

/** The token of a response. Another check reports that it is no text. */
export function accessTokenOf({ members, request }: HubResponse): string {
  const token = members['accessToken']
  if (typeof token !== 'string') throw new NotApplicable(`${request}: no text accessToken`)
  return token
}

/** The longest accessToken that the specification permits. */
export const maxTokenLength = 64_000

/** The characters of a bearer token (RFC 6750, section 2.1). */
export const bearerForm = /^[\w.~+/-]+=*$/

/** Unix seconds at the hub, by its Date header. */
export function hubTimeOf({ headers }: RawResponse): number {
  const time = Date.parse(headers['date'] ?? '')
  return Math.floor((Number.isNaN(time) ? Date.now() : time) / 1000)
}
