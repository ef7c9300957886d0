/** Turns a permit into a storage token. */

import {
  repoId,
  type Secret,
  type StorageAddress,
  type UnixSeconds,
  unixSeconds,
} from '@latchkey/protocol'
import { newId, type RandomBytes } from '@latchkey/service/random'
import { type SigningKey, signToken } from '@latchkey/token/signing'
import type { Permit } from '../permission/permit.ts'

export interface Mint {
  readonly issuer: string
  readonly storage: StorageAddress
  readonly lifetimeSeconds: number
  readonly signingKey: () => SigningKey
  readonly randomBytes: RandomBytes
}

export interface Minted {
  readonly accessToken: Secret<'access-token'>
  readonly exp: UnixSeconds
  readonly casUrl: string
  /** The id under which the log knows the token. */
  readonly jti: string
}

export function mintToken({ permitted }: Permit, now: UnixSeconds, mint: Mint): Minted {
  const { caller, scope, repo, repositoryUid, epoch, ref, commit, asOf, sees } = permitted
  const exp = expiryOf(now + mint.lifetimeSeconds, caller.expiresAt)
  const jti = newId(mint.randomBytes)
  const claims = {
    iss: mint.issuer,
    aud: mint.storage.audience,
    sub: caller.accountId,
    client_id: caller.hubTokenId,
    scope,
    repo: { type: repo.type, id: repoId(repo), uid: repositoryUid },
    ref: { name: ref.name, uid: ref.uid },
    commit,
    as_of: asOf,
    sees,
    iat: now,
    exp,
    jti,
  }
  return {
    accessToken: signToken(claims, mint.signingKey()),
    exp,
    casUrl: mint.storage.urlFor(repositoryUid, ref.uid, epoch),
    jti,
  }
}

/** A storage token never outlives the hub token that asked for it. */
function expiryOf(wanted: number, hubTokenExpiresAt: UnixSeconds | undefined): UnixSeconds {
  return unixSeconds(Math.min(wanted, hubTokenExpiresAt ?? wanted))
}
