/** The vectors of whole requests, as the tests of every way to a gate read them. */

import { readFileSync } from 'node:fs'
import { createGate, type Gate } from '@latchkey/gate'
import { unixSeconds } from '@latchkey/protocol'
import { type Jwks, readKeySet } from '@latchkey/token'

export type Way =
  | ('function' | 'fetch' | 'hono' | 'node' | 'express' | 'fastify' | 'gateway')
  | ('nginx' | 'caddy' | 'traefik' | 'envoy')

export type HeaderLine = readonly [name: string, value: string]

/** A request as it goes over the wire. */
export interface Sent {
  readonly method: string
  readonly target: string
  readonly headers: readonly HeaderLine[]
  readonly body?: string
}

/** Who is let in, as the handler behind a gate must hear it. */
export interface Seen {
  readonly scope: string
  readonly repository: string
  readonly repositoryUid: string
  readonly ref: string
  readonly refUid: string
  readonly subject: string
}

/** One request of the vectors with the answer it is owed. */
export interface Vector extends Sent {
  readonly name: string
  readonly status: number
  readonly code: string | null
  readonly grant?: Seen
  /** The target under which the handler gets it. */
  readonly gets?: string
  readonly notThrough: Readonly<Partial<Record<Way, string>>>
}

type Row = readonly [string, string, string, string, number, string | null]

interface Document {
  readonly issuer: string
  readonly casUrl: string
  readonly now: number
  readonly leewaySeconds: number
  readonly jwks: Jwks
  readonly places: Readonly<Record<string, string>>
  readonly tokens: Readonly<Record<string, string | null>>
  readonly grants: Readonly<Record<string, Seen>>
  readonly requests: readonly (Omit<Vector, 'grant' | 'notThrough'> & {
    readonly grant?: string
    readonly notThrough?: Vector['notThrough']
  })[]
  readonly matrix: readonly Row[]
}

const file = new URL('../../../../vectors/requests.json', import.meta.url)
export const vectors = JSON.parse(readFileSync(file, 'utf8')) as Document

export const matrix: readonly Vector[] = vectors.matrix.map((row) => {
  const [token, method, place, path, status, code] = row
  const text = tokenOf(token)
  return {
    name: JSON.stringify(row),
    method,
    target: `${vectors.places[place]}${path}`,
    headers: text === null ? [] : [['Authorization', `Bearer ${text}`]],
    status,
    code,
    ...(code === null ? { grant: grantOf(token), gets: path || '/' } : {}),
    notThrough: {},
  }
})

export const requests: readonly Vector[] = vectors.requests.map(
  ({ grant, notThrough = {}, ...request }) => ({
    ...request,
    target: filled(request.target),
    headers: request.headers.map(([name, value]) => [name, filled(value)] as const),
    ...(grant === undefined ? {} : { grant: grantOf(grant) }),
    notThrough,
  }),
)

/** The single requests that can be sent this way; the others say why not. */
export function requestsThrough(way: Way): readonly Vector[] {
  return requests.filter(({ notThrough }) => notThrough[way] === undefined)
}

const keys = await readKeySet(vectors.jwks)

export function vectorGate(): Gate {
  const { issuer, casUrl, leewaySeconds, now } = vectors
  const clock = () => unixSeconds(now)
  return createGate({ keys, issuer, casUrl, leewaySeconds, clock, failuresPerMinute: 0 })
}

function tokenOf(name: string): string | null {
  const text = vectors.tokens[name]
  if (text === undefined) throw new Error(`the vectors have no token called ${name}`)
  return text
}

function grantOf(name: string): Seen {
  const grant = vectors.grants[name]
  if (grant === undefined) throw new Error(`the vectors have no grant called ${name}`)
  return grant
}

function filled(text: string): string {
  return text.replace(/<([^<>]+)>/g, (_, name: string) => tokenOf(name) ?? '')
}
