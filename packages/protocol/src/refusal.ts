/** Every "no" that the services answer with: a value with a stable code, never an exception. */

import type { JournalNumber } from './time.ts'

export const statusOf = {
  bad_request: 400,
  content_invalid: 400,
  hub_token_missing: 401,
  hub_token_invalid: 401,
  storage_token_missing: 401,
  storage_token_invalid: 401,
  permission_denied: 403,
  insufficient_scope: 403,
  repository_mismatch: 403,
  ref_mismatch: 403,
  blob_url_invalid: 403,
  signature_invalid: 403,
  not_found: 404,
  repository_not_found: 404,
  revision_not_found: 404,
  resource_not_found: 404,
  entry_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  upload_offset_mismatch: 409,
  cursor_unknown: 410,
  precondition_failed: 412,
  body_too_large: 413,
  quota_exceeded: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  misdirected_request: 421,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  not_implemented: 501,
  upstream_unreachable: 502,
  not_ready: 503,
  gate_not_ready: 503,
  hub_unavailable: 503,
  upstream_timeout: 504,
  storage_full: 507,
  stopping: 503,
} as const satisfies Record<string, number>

export type RefusalCode = keyof typeof statusOf

/** Copies keep it (`{ ...refusal, path }`), JSON cannot hold it, and a second copy of this module knows it too. */
const mark: unique symbol = Symbol.for('latchkey.refusal')

/** Only `refuse` makes one. */
export interface Refusal {
  readonly [mark]: true
  readonly code: RefusalCode
  /** One sentence for the person who asked: what happened, what was expected, what to do. */
  readonly detail: string
  /** The permission that is missing; sent only to callers that may see the repository. */
  readonly missing?: string
  /** Where in the input the mistake is: `repositories[2].branches.main`. */
  readonly path?: string
  /** The command that leads on, by its words after `latchkey`; a word in capitals stands for one to fill in. */
  readonly next?: readonly string[]
  readonly retryAfterSeconds?: number
  /** Which of the ways to fail it was, for the log of the operator; never sent. */
  readonly reason?: string
  /** The id of the refused token, where its signature was found to be right; for the log, never sent. */
  readonly tokenId?: string
  /** The methods that would have been allowed, as the `Allow` header lists them. */
  readonly allow?: string
  /** The last number of the journal, where the one that was asked for is not in it. */
  readonly number?: JournalNumber
  /** How long that is of which a part was asked for, as `Content-Range` tells it. */
  readonly wholeBytes?: number
  /** The byte that an upload goes on from, as `Upload-Offset` tells it. */
  readonly uploadOffset?: number
}

export function refuse(code: RefusalCode, detail: string, more: RefusalExtra = {}): Refusal {
  return { [mark]: true, code, detail, ...more }
}

type RefusalExtra = Pick<
  Refusal,
  | 'missing'
  | 'path'
  | 'next'
  | 'retryAfterSeconds'
  | 'allow'
  | 'number'
  | 'wholeBytes'
  | 'uploadOffset'
  | 'reason'
  | 'tokenId'
>

/**
 * By its mark alone: a member `code` in data from outside means nothing.
 *
 * @example
 * ```ts
 * const refusal = refuse('not_found', 'There is no such file.')
 * isRefusal(refusal) // true
 * isRefusal({ code: 'not_found' }) // false
 * ```
 */
export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && mark in value
}
