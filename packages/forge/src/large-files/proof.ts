/**
 * Seals a storage token of the caller into the address of a large file, for clients that send no
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
import { isSize, type Members, membersOf } from '../words/members.ts'
import type { LfsOid } from '../words/pointer.ts'
import type { Seal } from '../words/seal.ts'
import type { FileHash, StorageAccess } from './ask-storage.ts'
import type { FoundObject } from './find-objects.ts'

/** The token names the repository, the ref and the hub token; the storage judges it when the address is used. */
interface Proof {
  readonly token: StorageAccess
  readonly oid: LfsOid
  readonly size: number
}

/** Reads the file. */
export interface DownloadProof extends Proof, Pick<FoundObject, 'hash'> {}

/** Writes the file to the ref of the token, and asks whether it is there. */
export interface UploadProof extends Proof {
  /** The account that work is charged to. */
  readonly account: string
}

/** Where a proof is good: nobody can take it to another address. */
export interface ProvenPlace {
  readonly repo: RepoRef
  readonly oid: LfsOid
}

type Sealed<Kind extends Proof> = Omit<Kind, 'oid'> & { readonly expiresAt: UnixSeconds }

interface SentProof {
  readonly proof: string
  readonly clock: Clock
}

export const maxLifeSeconds = 900

export function closeDownload(
  seal: Seal,
  place: ProvenPlace,
  { hash, ...proof }: Sealed<DownloadProof>,
): string {
  return close(seal, nameOf('download', place), proof, { hash })
}

export function closeUpload(
  seal: Seal,
  place: ProvenPlace,
  { account, ...proof }: Sealed<UploadProof>,
): string {
  return close(seal, nameOf('upload', place), proof, { account })
}

/** Undefined for one that is over, and for whatever is none. */
export function openDownload(
  seal: Seal,
  place: ProvenPlace,
  sent: SentProof,
): DownloadProof | undefined {
  const opened = open(seal, nameOf('download', place), sent)
  return opened && { ...opened.proof, oid: place.oid, hash: opened.members['hash'] as FileHash }
}

/** The same for an upload. */
export function openUpload(
  seal: Seal,
  place: ProvenPlace,
  sent: SentProof,
): UploadProof | undefined {
  const opened = open(seal, nameOf('upload', place), sent)
  return opened && { ...opened.proof, oid: place.oid, account: String(opened.members['account']) }
}

function close(
  seal: Seal,
  name: string,
  { size, token, expiresAt }: Sealed<Proof>,
  more: Members,
): string {
  const { casUrl, accessToken } = token
  const content = { ...more, size, casUrl, accessToken: accessToken.reveal(), expiresAt }
  return seal.close(name, JSON.stringify(content))
}

function open(
  seal: Seal,
  name: string,
  { proof, clock }: SentProof,
): { readonly proof: Omit<Proof, 'oid'>; readonly members: Members } | undefined {
  const text = seal.open(name, proof)
  const members = membersOf(text === undefined ? undefined : JSON.parse(text)) ?? {}
  const { size, casUrl, accessToken, expiresAt } = members
  if (!isSize(size) || !isSize(expiresAt) || unixSeconds(expiresAt) <= clock()) return undefined
  const token = {
    casUrl: String(casUrl),
    accessToken: new Secret('access-token', String(accessToken)),
  }
  return { proof: { size, token }, members }
}

/** With the operation: who may read a file may not write it. */
function nameOf(operation: 'download' | 'upload', { repo, oid }: ProvenPlace): string {
  return `lfs ${operation} ${formatRepoRef(repo)} ${oid}`
}
