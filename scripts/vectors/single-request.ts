/** One named request with the answer that a gate owes it. */

import { places } from './request-tokens.ts'

export type Through = (typeof parsers | typeof objects | typeof proxies)[number]

export interface SingleRequest {
  readonly name: string
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: string
  readonly status: number
  readonly code: string | null
  readonly gets?: string
  readonly grant?: string
  readonly notThrough?: Readonly<Partial<Record<Through, string>>>
}

/** Ways to a gate that read requests with the parser of node:http. */
export const parsers = ['node', 'express', 'fastify', 'gateway'] as const
/** Ways to a gate by a Request object. */
export const objects = ['fetch', 'hono'] as const
export const proxies = ['nginx', 'caddy', 'traefik', 'envoy'] as const

export const own = places['own']?.prefix ?? ''
export const chunk = `${own}/v1/chunks/default/abc`
export const shard = `${own}/v1/shards`

export type Answer = Pick<SingleRequest, 'status' | 'code'>

export const answers = {
  missing: { status: 401, code: 'storage_token_missing' },
  invalid: { status: 401, code: 'storage_token_invalid' },
  bad: { status: 400, code: 'bad_request' },
  insufficient: { status: 403, code: 'insufficient_scope' },
  nowhere: { status: 404, code: 'not_found' },
  otherRepository: { status: 403, code: 'repository_mismatch' },
  otherRef: { status: 403, code: 'ref_mismatch' },
} as const satisfies Record<string, Answer>

/** A request that passes with the token of this name, and the target under which the storage gets it. */
export function passes(grant: string, gets: string): Answer & { grant: string; gets: string } {
  return { status: 200, code: null, grant, gets }
}

export function bearing(token: string): readonly [string, string] {
  return ['Authorization', `Bearer <${token}>`]
}

/** The same reason for several ways. */
export function not(
  ways: readonly Through[],
  reason: string,
): Readonly<Partial<Record<Through, string>>> {
  return Object.fromEntries(ways.map((way) => [way, reason]))
}
