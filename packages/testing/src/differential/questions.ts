/**
 * What a verifier in another language is asked, one JSON object in a line, and what it answers, one JSON object in a line for
 * each question, in the same order. It ends when there are no more lines.
 *
 * In methods, targets and headers every character is one byte of the wire (latin1).
 */

import type { Isolation } from '@latchkey/gate'
import type { ScopeRules } from '@latchkey/protocol'
import type { Jwks } from '@latchkey/token'

/** From now on this is what you verify for. The answer is `{}`. */
export interface SetGate {
  readonly kind: 'gate'
  readonly issuer: string
  readonly casUrl: string
  readonly isolation: Isolation | null
  readonly leewaySeconds: number
  /** Where the clock stands. */
  readonly now: number
  readonly rules: Required<ScopeRules>
  /** The keys of tokens. */
  readonly jwks: Jwks
  /** The keys of heads of revocations. */
  readonly headJwks: Jwks
  /** The newest list of revocations, base64. */
  readonly list: string
}

/**
 * Judge a request. `{ status: 200, requiredScope, path, prefix, query, grant }` if it may pass; `{ status, code }` if not, with
 * `reason` where the gate has one.
 */
export interface CheckRequest {
  readonly kind: 'request'
  readonly method: string
  readonly target: string
  /** Names and values in turn. */
  readonly headers: readonly string[]
}

/** Verify a head of revocations, whenever it was signed: `{ ok: true, head, kid }` or `{ ok: false, reason }`. */
export interface ReadHead {
  readonly kind: 'head'
  readonly head: string
}

/** Read a list of revocations: its `hash`, and `entries` as pairs of hash and number in their order, or null. */
export interface ReadList {
  readonly kind: 'list'
  /** base64. */
  readonly bytes: string
}

/** Read a document of keys: the `kids` of those that can be trusted, sorted. None if it is no JSON. */
export interface ReadKeys {
  readonly kind: 'keys'
  readonly document: string
}

export type Question = CheckRequest | ReadHead | ReadList | ReadKeys

export type Verdict = Readonly<Record<string, unknown>>
