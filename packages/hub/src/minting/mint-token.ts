import {
  type AnyId,
  repoId,
  type Secret,
  type StorageAddress,
  type StorageName,
  type UnixSeconds,
  unixSeconds,
} from '@latchkey/protocol'
import {
  type PreparedClaims,
  prepareClaims,
  type SigningKey,
  signPreparedClaims,
} from '@latchkey/token/signing'
import type { Permit } from '../permission/permit.ts'

export interface Mint {
  readonly issuer: string
  /** By the names that repositories are recorded under. */
  readonly storages: ReadonlyMap<StorageName, StorageAddress>
  readonly lifetimeSeconds: number
  readonly signingKey: () => SigningKey
  readonly newTokenId: () => AnyId
}

export interface MintedToken {
  readonly accessToken: Secret<'access-token'>
  readonly exp: UnixSeconds
  readonly casUrl: string
  /** The same as JSON. */
  readonly casUrlJson: string
  /** The id under which the log knows the token. */
  readonly jti: AnyId
}

/** The part of a permit's tokens that is the same in each of them. Only a permit makes one. */
export class PreparedToken {
  readonly #mint: Mint
  readonly #claims: PreparedClaims
  readonly #casUrl: string
  readonly #casUrlJson: string
  readonly #expiresAt: UnixSeconds | undefined

  constructor({ permitted }: Permit, mint: Mint, storage: StorageAddress) {
    const { caller, scope, repo, repositoryUid, epoch, ref, commit, asOf, sees, roleUntil } =
      permitted
    this.#mint = mint
    this.#claims = prepareClaims({
      iss: mint.issuer,
      aud: storage.audience,
      sub: caller.accountId,
      client_id: caller.hubTokenId,
      scope,
      repo: { type: repo.type, id: repoId(repo), uid: repositoryUid },
      ref: { name: ref.name, uid: ref.uid },
      commit,
      as_of: asOf,
      sees,
    })
    this.#casUrl = storage.urlFor(repositoryUid, ref.uid, epoch)
    this.#casUrlJson = JSON.stringify(this.#casUrl)
    this.#expiresAt = earlier(caller.expiresAt, roleUntil)
  }

  /** How many characters it keeps in memory. */
  get length(): number {
    return this.#claims.encoded.length + this.#casUrl.length + this.#casUrlJson.length
  }

  /** When its tokens end at the latest, and the decision with them. */
  get expiresAt(): UnixSeconds | undefined {
    return this.#expiresAt
  }

  sign(now: UnixSeconds): MintedToken {
    const { lifetimeSeconds, newTokenId, signingKey } = this.#mint
    const exp = expiryOf(now + lifetimeSeconds, this.#expiresAt)
    const jti = newTokenId()
    const accessToken = signPreparedClaims(this.#claims, { iat: now, exp, jti }, signingKey())
    return { accessToken, exp, casUrl: this.#casUrl, casUrlJson: this.#casUrlJson, jti }
  }
}

/** A storage token never outlives the hub token that asked for it, nor the membership that permits it. */
function expiryOf(requestedExpiry: number, latest: UnixSeconds | undefined): UnixSeconds {
  return unixSeconds(Math.min(requestedExpiry, latest ?? requestedExpiry))
}

function earlier(
  one: UnixSeconds | undefined,
  other: UnixSeconds | undefined,
): UnixSeconds | undefined {
  return one === undefined || (other !== undefined && other < one) ? other : one
}
