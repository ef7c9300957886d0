/** A refusal as it goes over the wire: a problem document (RFC 9457) that real clients can read too. */

import { type Refusal, type RefusalCode, statusOf } from './refusal.ts'
import type { JournalNumber } from './time.ts'

export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: RefusalCode
  readonly requestId: string
  /** The sentence of `detail` again: the member that Hugging Face clients show. */
  readonly error: string
  readonly missing?: string
  readonly path?: string
  readonly next?: readonly string[]
  readonly number?: JournalNumber
}

export const titleOf: Record<RefusalCode, string> = {
  bad_request: 'The request cannot be understood',
  content_invalid: 'The content is not what it claims to be',
  hub_token_missing: 'A hub token is required',
  hub_token_invalid: 'The hub token is not valid',
  storage_token_missing: 'A storage token is required',
  storage_token_invalid: 'The storage token is not valid',
  permission_denied: 'The hub token lacks permission',
  insufficient_scope: 'The storage token may only read',
  repository_mismatch: 'The storage token is for another repository',
  ref_mismatch: 'The storage token is for another ref',
  blob_url_invalid: 'The blob URL is not valid',
  signature_invalid: 'The signature is missing or not valid',
  not_found: 'The path has no route',
  repository_not_found: 'The repository does not exist',
  revision_not_found: 'The revision does not exist',
  resource_not_found: 'A resource that the request names does not exist',
  entry_not_found: 'The revision has no such file or folder',
  method_not_allowed: 'The method is not allowed here',
  request_timeout: 'The request took too long to arrive',
  conflict: 'The change contradicts the current state',
  upload_offset_mismatch: 'The upload continues at another byte',
  cursor_unknown: 'The journal does not have this number',
  precondition_failed: 'The branch has moved on',
  body_too_large: 'The request body is too large',
  quota_exceeded: 'The quota is exceeded',
  unsupported_media_type: 'The request body is not JSON',
  range_not_satisfiable: 'The range lies beyond the end',
  misdirected_request: 'The request is meant for another host',
  rate_limited: 'Too many requests',
  headers_too_large: 'The request headers are too large',
  internal_error: 'The service failed',
  not_implemented: 'Latchkey does not support this request',
  upstream_unreachable: 'The storage cannot be reached',
  not_ready: 'The service is not ready',
  gate_not_ready: 'The gate cannot check tokens now',
  hub_unavailable: 'The service cannot reach its hub',
  upstream_timeout: 'The storage did not answer in time',
  storage_full: 'The disk has no free space',
  stopping: 'The service is stopping',
}

export function problemOf(refusal: Refusal, requestId: string): Problem {
  const { code, detail, missing, path, next, number } = refusal
  return {
    type: `urn:latchkey:refusal:${code}`,
    title: titleOf[code],
    status: statusOf[code],
    detail,
    code,
    requestId,
    error: detail,
    ...(missing === undefined ? {} : { missing }),
    ...(path === undefined ? {} : { path }),
    ...(next === undefined ? {} : { next }),
    ...(number === undefined ? {} : { number }),
  }
}

/** Text made safe for a header: printable ASCII, anything else percent-encoded. */
export function headerText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\u0020-\u007e]/gu, (character) => encodeURIComponent(character))
}
