/** Decides whether a stored hub token still speaks for its account. */

import { type Refusal, refuse, type UnixSeconds } from '@latchkey/protocol'
import type { Caller, CallerRecord } from './caller.ts'

export function identifyCaller(
  record: CallerRecord | undefined,
  now: UnixSeconds,
): Caller | Refusal {
  if (record === undefined) return invalidHubToken()
  const { accountDisabled, revokedAt, expiresAt } = record
  if (accountDisabled || revokedAt !== undefined) return invalidHubToken()
  if (expiresAt !== undefined && expiresAt <= now) return invalidHubToken()
  return record
}

/** The same words for every reason: a stranger learns nothing about a token that was found. */
export function invalidHubToken(): Refusal {
  return refuse(
    'hub_token_invalid',
    'This hub token is not valid: it is malformed, unknown, revoked, expired, or its account is disabled. Send a current one as "Authorization: Bearer <hub token>".',
  )
}

export function missingHubToken(): Refusal {
  return refuse(
    'hub_token_missing',
    'This request carries no hub token. Send one as "Authorization: Bearer <hub token>".',
  )
}
