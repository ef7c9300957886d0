/**
 * Seals a read token of the caller into the address of a large file, for clients that send no
 * credentials there.
 */

import {
  type Clock,
  formatRepoRef,
  type RepoRef,
  Secret,
  type UnixSeconds,
  unixSeconds,
} from '@latchkey/protocol'
import { isSize, membersOf } from '../words/members.ts'
import type { LfsOid } from '../words/pointer.ts'
import type { Seal } from '../words/seal.ts'
import type { FileHash, StorageAccess } from './ask-storage.ts'
import type { FoundObject } from './find-objects.ts'

/** The token names the repository, the ref and the hub token; the storage judges it when the file is fetched. */
export interface Proof extends Pick<FoundObject, 'hash'> {
  readonly token: StorageAccess
  readonly oid: LfsOid
  readonly size: number
}

/** Where a proof is good: nobody can take it to another address. */
export interface ProvenPlace {
  readonly repo: RepoRef
  readonly oid: LfsOid
}

export const maxLifeSeconds = 900

export function closeProof(
  seal: Seal,
  { repo, oid }: ProvenPlace,
  { hash, size, token, expiresAt }: Omit<Proof, 'oid'> & { readonly expiresAt: UnixSeconds },
): string {
  const { casUrl, accessToken } = token
  const content = { hash, size, casUrl, accessToken: accessToken.reveal(), expiresAt }
  return seal.close(placeName({ repo, oid }), JSON.stringify(content))
}

/** Undefined for one that is over, and for whatever is none. */
export function openProof(
  seal: Seal,
  place: ProvenPlace,
  { proof, clock }: { readonly proof: string; readonly clock: Clock },
): Proof | undefined {
  const text = seal.open(placeName(place), proof)
  const { hash, size, casUrl, accessToken, expiresAt } =
    membersOf(text === undefined ? undefined : JSON.parse(text)) ?? {}
  if (!isSize(size) || !isSize(expiresAt) || unixSeconds(expiresAt) <= clock()) return undefined
  const token = {
    casUrl: String(casUrl),
    accessToken: new Secret('access-token', String(accessToken)),
  }
  return { oid: place.oid, size, hash: hash as FileHash, token }
}

function placeName({ repo, oid }: ProvenPlace): string {
  return `lfs ${formatRepoRef(repo)} ${oid}`
}
