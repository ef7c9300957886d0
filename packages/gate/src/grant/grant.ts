/** What a verified storage token allows. */

import type {
  AccountId,
  HubTokenId,
  JournalNumber,
  RefUid,
  RepositoryUid,
  Scope,
  UnixSeconds,
} from '@latchkey/protocol'
import { type Claims, type Revocable, revocableOf, type SeenRef } from '@latchkey/token'

export interface Grant extends Revocable {
  readonly scope: Scope
  /** As people write it: `models/acme/bert`. A repository made again has the same name and another uid. */
  readonly repository: string
  readonly repositoryUid: RepositoryUid
  /** A full ref name or a commit hash. */
  readonly ref: string
  readonly refUid: RefUid
  /** The commit that the revision named when the token was issued. */
  readonly commit: string
  /** The last entry of the hub's journal that certainly counted in the decision. */
  readonly asOf: JournalNumber
  /** Other refs whose content belongs to this revision, each as far as its stamp is below a journal number. */
  readonly sees: readonly SeenRef[]
  /** The account that asked, or `anonymous`. */
  readonly subject: AccountId
  /** The id of the hub token that asked. */
  readonly hubToken: HubTokenId
  readonly tokenId: string
  readonly issuedAt: UnixSeconds
  readonly expiresAt: UnixSeconds
}

export function grantOf(claims: Claims, kid: string): Grant {
  const { repo, ref } = claims
  return {
    ...revocableOf(claims, kid),
    scope: claims.scope,
    repository: `${repo.type}s/${repo.id}`,
    ref: ref.name,
    refUid: ref.uid,
    commit: claims.commit,
    sees: claims.sees,
    issuedAt: claims.iat,
    expiresAt: claims.exp,
  }
}
