/** Whether a storage token is one that this hub signed and that a gate may still accept. */

import type { Secret, UnixSeconds } from '@latchkey/protocol'
import {
  type KeySet,
  maxLeewaySeconds,
  parseClaims,
  type VerificationResult,
  verifyToken,
} from '@latchkey/token'
import type { Reading } from '../../tables/directory.ts'

export interface OwnKeys {
  /** The public halves of the hub's own keys; where no hub runs, read from the tables. */
  readonly keys: (tables: Reading) => Promise<KeySet>
  /** The hub's public URL. Undefined compares no issuer: the data directory does not hold the URL. */
  readonly issuer: string | undefined
}

export type VerifyOwnToken = (
  token: Secret<'access-token'>,
  at: { readonly tables: Reading; readonly now: UnixSeconds },
) => Promise<VerificationResult>

export function verifyOwnToken({ keys, issuer }: OwnKeys): VerifyOwnToken {
  return async (token, { tables, now }) =>
    verifyAgainst(token, { keys: await keys(tables), issuer, now })
}

export interface Against extends Pick<OwnKeys, 'issuer'> {
  readonly keys: KeySet
  readonly now: UnixSeconds
}

/** The audience is the token's own: a token for an address that the storage had before is as alive there as any other. */
export function verifyAgainst(
  token: Secret<'access-token'>,
  { issuer, ...against }: Against,
): Promise<VerificationResult> {
  const text = token.reveal()
  const claims = parseClaims(Buffer.from(text.split('.', 2)[1] ?? '', 'base64url').toString())
  return verifyToken(text, {
    ...against,
    issuer: issuer ?? claims?.iss ?? '',
    audience: claims?.aud ?? '',
    leewaySeconds: maxLeewaySeconds,
  })
}
