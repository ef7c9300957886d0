/** A refusal as status, headers and body, the same for every route. */

import {
  headerText,
  problemOf,
  type Refusal,
  type RefusalCode,
  refuse,
  statusOf,
} from '@latchkey/protocol'
import { scrub } from '../operations/scrub.ts'

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
  readonly allow?: string
}

/** What Python clients look for, to tell a wrong token from a missing repository. */
const invalidCredentials = 'Invalid credentials in Authorization header'

const errorCodes: Partial<Record<RefusalCode, string>> = {
  repository_not_found: 'RepoNotFound',
  revision_not_found: 'RevisionNotFound',
}

export function answerRefusal(given: Refusal, context: RefusalContext): Answer {
  const refusal = withoutSecrets(given)
  const { requestId, plainJson = false, allow } = context
  const status = statusOf[refusal.refused]
  const body = JSON.stringify(problemOf(refusal, requestId))
  const errorCode = errorCodes[refusal.refused]
  const message = status === 401 ? invalidCredentials : headerText(refusal.detail)
  const headers = [
    ...['Content-Type', plainJson ? 'application/json' : 'application/problem+json'],
    ...['Content-Length', String(Buffer.byteLength(body))],
    ...['X-Request-Id', requestId],
    ...['Cache-Control', 'no-store'],
    ...(errorCode === undefined ? [] : ['X-Error-Code', errorCode]),
    ...['X-Error-Message', message],
    ...challengeOf(refusal),
    ...(allow === undefined ? [] : ['Allow', allow]),
    ...waitOf(refusal),
  ]
  return { status, headers, body, encoding: 'utf8' }
}

/** A sentence may repeat what was asked for, and somebody may have put a token there. */
function withoutSecrets(refusal: Refusal): Refusal {
  const { detail, missing, path } = refusal
  return {
    ...refusal,
    detail: scrub(detail),
    ...(missing === undefined ? {} : { missing: scrub(missing) }),
    ...(path === undefined ? {} : { path: scrub(path) }),
  }
}

/** RFC 6750 §3: no error code when no credential was sent. */
function challengeOf({ refused, detail }: Refusal): readonly string[] {
  const status = statusOf[refused]
  if (status !== 401 && status !== 403) return []
  if (refused === 'hub_token_missing') return ['WWW-Authenticate', 'Bearer realm="latchkey"']
  const error = status === 401 ? 'invalid_token' : 'insufficient_scope'
  const description = headerText(detail).replace(/["\\]/g, "'")
  return [
    'WWW-Authenticate',
    `Bearer realm="latchkey", error="${error}", error_description="${description}"`,
  ]
}

function waitOf({ refused, retryAfterSeconds: seconds }: Refusal): readonly string[] {
  if (seconds === undefined) return []
  const limit = refused === 'rate_limited' ? ['RateLimit', `"latchkey";r=0;t=${seconds}`] : []
  return ['Retry-After', String(seconds), ...limit]
}

/** What a caller is told when something broke; the log has the reason. */
export function hubFailed(): Refusal {
  return refuse(
    'internal_error',
    'The hub failed to answer. Try again; the request id helps its operator to find out why.',
  )
}
