import { headerText, problemOf } from './problem.ts'
import { type Refusal, type RefusalCode, statusOf } from './refusal.ts'
import { scrub } from './token-shape.ts'

export interface Answer {
  readonly status: number
  /** Names and values in turn. */
  readonly headers: readonly string[]
  readonly body: string
  /** `latin1` is the quicker way to send a text known to be ASCII. */
  readonly encoding: 'utf8' | 'latin1'
}

export interface RefusalContext {
  readonly requestId: string
  /** `application/json` instead of `application/problem+json`. */
  readonly plainJson?: boolean
  /** Whether bearers are for every request, so that a bad one is theirs too (RFC 6750 §3.1). */
  readonly everyRequestHasBearer?: boolean
}

/** Python clients look for this text to distinguish an invalid token from a missing repository. */
const invalidCredentials = 'Invalid credentials in Authorization header'

const utf8 = new TextEncoder()

const errorCodes: Partial<Record<RefusalCode, string>> = {
  repository_not_found: 'RepoNotFound',
  revision_not_found: 'RevisionNotFound',
  entry_not_found: 'EntryNotFound',
}

export function answerRefusal(original: Refusal, context: RefusalContext): Answer {
  const refusal = withoutSecrets(original)
  const { requestId, plainJson = false, everyRequestHasBearer = false } = context
  const status = statusOf[refusal.code]
  const body = JSON.stringify(problemOf(refusal, requestId))
  const errorCode = errorCodes[refusal.code]
  const message = status === 401 ? invalidCredentials : headerText(refusal.detail)
  const headers = [
    ...['Content-Type', plainJson ? 'application/json' : 'application/problem+json'],
    ...['Content-Length', String(utf8.encode(body).length)],
    ...['X-Request-Id', requestId],
    ...['Cache-Control', 'no-store'],
    ...(errorCode === undefined ? [] : ['X-Error-Code', errorCode]),
    ...['X-Error-Message', message],
    ...challengeOf(refusal, everyRequestHasBearer),
    ...(refusal.allow === undefined ? [] : ['Allow', refusal.allow]),
    ...wholeOf(refusal),
    ...offsetOf(refusal),
    ...waitOf(refusal),
  ]
  return { status, headers, body, encoding: 'utf8' }
}

/** A sentence may repeat what was asked for, and somebody may have put a token there. */
function withoutSecrets(refusal: Refusal): Refusal {
  const { detail, missing, path, next } = refusal
  return {
    ...refusal,
    detail: scrub(detail),
    ...(missing === undefined ? {} : { missing: scrub(missing) }),
    ...(path === undefined ? {} : { path: scrub(path) }),
    ...(next === undefined ? {} : { next: next.map(scrub) }),
  }
}

/** RFC 6750 §3: no error code when no credential was sent. */
const nothingSent: ReadonlySet<RefusalCode> = new Set([
  'hub_token_missing',
  'storage_token_missing',
])

/** RFC 6750 §3.1 */
const bearerErrors: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'invalid_token',
  403: 'insufficient_scope',
}

/** Another credential than a bearer was not right. */
const withoutBearer: ReadonlySet<RefusalCode> = new Set(['blob_url_invalid', 'signature_invalid'])

function challengeOf({ code, detail }: Refusal, with400: boolean): readonly string[] {
  const error = withoutBearer.has(code) ? undefined : bearerErrors[statusOf[code]]
  if (error === undefined || (error === 'invalid_request' && !with400)) return []
  if (nothingSent.has(code)) return ['WWW-Authenticate', 'Bearer realm="latchkey"']
  const description = headerText(detail).replace(/["\\]/g, "'")
  return [
    'WWW-Authenticate',
    `Bearer realm="latchkey", error="${error}", error_description="${description}"`,
  ]
}

/** RFC 9110 §15.5.17 */
function wholeOf({ wholeBytes }: Refusal): readonly string[] {
  return wholeBytes === undefined ? [] : ['Content-Range', `bytes */${wholeBytes}`]
}

function offsetOf({ uploadOffset }: Refusal): readonly string[] {
  return uploadOffset === undefined ? [] : ['Upload-Offset', String(uploadOffset)]
}

function waitOf({ code, retryAfterSeconds: seconds }: Refusal): readonly string[] {
  if (seconds === undefined) return []
  const limit = code === 'rate_limited' ? ['RateLimit', `"latchkey";r=0;t=${seconds}`] : []
  return ['Retry-After', String(seconds), ...limit]
}
