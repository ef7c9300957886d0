/** Answers of the OAuth endpoints: JSON as in RFC 6749 §5.1 and §5.2, for every outcome. */

import { type Refusal, statusOf } from '@latchkey/protocol'
import type { Reply } from '@latchkey/service/http/routes'

/** The codes of RFC 6749 §5.2, RFC 8628 §3.5, RFC 8693 §2.2.2 and RFC 9396 §5, and one for a hub that cannot answer now. */
export type OAuthErrorCode =
  | 'access_denied'
  | 'authorization_pending'
  | 'expired_token'
  | 'invalid_authorization_details'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'slow_down'
  | 'temporarily_unavailable'
  | 'unsupported_grant_type'

/** The result of an endpoint, for its line in the log. Never a secret. */
export interface OAuthOutcome {
  readonly outcome: 'done' | OAuthErrorCode
  readonly subject?: string
  readonly account?: string
  readonly hubToken?: string
}

export interface OAuthAnswer extends OAuthOutcome {
  readonly reply: Reply
}

export interface OAuthError {
  readonly code: OAuthErrorCode
  /** A sentence in ASCII without quotes: RFC 6749 §5.2. */
  readonly description: string
  /** 400 if not given. */
  readonly status?: number
  readonly retryAfterSeconds?: number
}

export function oauthError(
  { code, description, status = 400, retryAfterSeconds }: OAuthError,
  about: Omit<OAuthOutcome, 'outcome'> = {},
): OAuthAnswer {
  const body = JSON.stringify({ error: code, error_description: description })
  const headers =
    retryAfterSeconds === undefined ? [] : ['Retry-After', String(Math.ceil(retryAfterSeconds))]
  return { ...about, outcome: code, reply: { status, headers: [...noStore, ...headers], body } }
}

export function oauthAnswer(
  members: Readonly<Record<string, string | number | readonly object[]>>,
  about: Omit<OAuthOutcome, 'outcome'> = {},
): OAuthAnswer {
  return { ...about, outcome: 'done', reply: { headers: noStore, body: JSON.stringify(members) } }
}

/** `Cache-Control: no-store` is on every answer of the hub already. RFC 6749 §5.1 */
const noStore = ['Pragma', 'no-cache']

/** A refusal of the kit in the form that OAuth clients read. */
export function refusalAsOAuth({ code, detail, allow, retryAfterSeconds }: Refusal): OAuthAnswer {
  const isOurs = statusOf[code] >= 500
  const { reply, outcome } = oauthError({
    code: isOurs ? 'temporarily_unavailable' : 'invalid_request',
    description: detail.replaceAll('"', "'"),
    status: isOurs ? 503 : statusOf[code],
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
  const headers = [...(reply.headers ?? []), ...(allow === undefined ? [] : ['Allow', allow])]
  return { outcome, reply: { ...reply, headers } }
}
