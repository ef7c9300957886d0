import { type Refusal, refuse, type UnixSeconds } from '@latchkey/protocol'
import type { Caller, CallerRecord } from './caller.ts'

export function identifyCaller(
  record: CallerRecord | undefined,
  now: UnixSeconds,
  isOfSession = false,
): Caller | Refusal {
  if (record === undefined || whyInvalid(record, now) !== undefined) return invalidHubToken()
  // A session authorizes pages, which look it up by its cookie, and no other request.
  if ((record.origin === 'session') !== isOfSession) return invalidHubToken()
  return record
}

/** Why a stored hub token is not valid. Only administrators are told. */
export function whyInvalid(record: CallerRecord, now: UnixSeconds): string | undefined {
  const { accountName, accountDisabled, revokedAt } = record
  if (accountDisabled) return `the account "${accountName}" is disabled`
  if (revokedAt !== undefined) return 'the hub token is revoked'
  if (hasExpired(record, now)) return 'the hub token has expired'
  return undefined
}

/** The one thing about a hub token that changes without a change of the directory. */
export function hasExpired(
  { expiresAt }: { readonly expiresAt?: UnixSeconds | undefined },
  now: UnixSeconds,
): boolean {
  return expiresAt !== undefined && expiresAt <= now
}

/** The same words for every reason: the sender does not learn whether the hub token is known. */
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
