/** Which content belongs to which repository and ref: the port that a database implements. */

import type { JournalNumber, RefUid, Refusal, RepositoryUid } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import type { Digest, ObjectKey } from '../objects/object-store.ts'
import type { Sha256 } from './sha256.ts'
import type { Terms } from './terms.ts'

/**
 * The refs that a token may read: refs of one repository, each up to a journal number; its own
 * comes first and has none.
 */
export interface View {
  readonly repositoryUid: RepositoryUid
  /** Undefined: every ref of the repository, whenever it was written. */
  readonly refs: readonly SeenRefView[] | undefined
}

export interface SeenRefView {
  readonly uid: RefUid
  /** Only rows with a lower stamp; undefined: all of them. */
  readonly before: JournalNumber | undefined
}

/** A ref of a repository. */
export interface Place {
  readonly repositoryUid: RepositoryUid
  readonly refUid: RefUid
}

/** Where a token writes, for as long as it may. */
export interface WritablePlace extends Place {
  /** The refusal, if the token was taken back meanwhile. Asked in the transaction that writes. */
  refuseIfRevoked(): Refusal | undefined
  /** The part of the repository's quota that this ref alone may hold; undefined: all of it. */
  readonly quotaPart?: number | undefined
}

export interface Xorb {
  readonly hash: Hash
  readonly digest: Digest
  readonly packedBytes: number
  readonly unpackedBytes: number
  readonly chunks: number
}

/** A xorb as one ref has it. */
export interface OwnedXorb extends Xorb {
  readonly refUid: RefUid
}

/** With the object that has its bytes. */
export interface FoundXorb extends OwnedXorb {
  readonly key: ObjectKey
}

/** An object that is about to be written. */
export interface ReservedObject {
  readonly key: ObjectKey
  /** Together with its chunk table. */
  readonly bytes: number
}

/** An uploaded object that no digest has yet; its key is reserved. */
export interface NewObject {
  readonly key: ObjectKey
  /** The object that has the same bytes, where it was found to have lost some: the new one takes its place. */
  readonly lost?: ObjectKey | undefined
  /** Whether a client has put it into the store: its grant must be open, and is used up in the same transaction. */
  readonly isGranted?: boolean
}

export interface StoredFile {
  readonly hash: Hash
  readonly bytes: number
  readonly terms: Terms
  /** Clients ask for it, to learn what they need not send; undefined for a file without chunks. */
  readonly firstChunk?: Hash | undefined
  /** Computed from the stored bytes; undefined until then, whatever a client says. */
  readonly sha256?: Sha256 | undefined
}

/** A file as one ref has it; every xorb it is made of belongs to that ref too. */
export interface OwnedFile extends StoredFile {
  readonly refUid: RefUid
}

/** One ref's row of a file. */
export interface FileOfRef {
  readonly refUid: RefUid
  readonly hash: Hash
}

/** The computed hash of a file's bytes. */
export interface HashedFile extends FileOfRef {
  readonly sha256: Sha256
}

/** A chunk that clients may ask for, and the xorb that holds it. */
export interface IndexedChunk {
  readonly hash: Hash
  readonly xorb: Hash
}

/** Looks content up; threads have one of their own. */
export interface CatalogReader {
  findXorb(view: View, hash: Hash): Promise<FoundXorb | undefined>
  /** The hashes among `hashes` that are in view. */
  findXorbs(view: View, hashes: readonly Hash[]): Promise<ReadonlyMap<Hash, FoundXorb>>
  /** The xorbs that a found file is made of, from the ref it was found in. */
  xorbsOf(
    file: Pick<OwnedFile, 'refUid'>,
    hashes: readonly Hash[],
  ): Promise<ReadonlyMap<Hash, FoundXorb>>
  findFile(view: View, hash: Hash): Promise<OwnedFile | undefined>
  findChunk(view: View, hash: Hash): Promise<FoundXorb | undefined>
  /** The newest file in view that begins with the chunk, of the view's first ref first. */
  findFileFrom(view: View, firstChunk: Hash): Promise<OwnedFile | undefined>
  /** A file in view that is so long and was found to have this SHA-256. */
  findSha256(view: View, sha256: Sha256, bytes: number): Promise<Hash | undefined>
  /** The hashes among `hashes` for which a row in view has a SHA-256. */
  findSha256s(view: View, hashes: readonly Hash[]): Promise<ReadonlyMap<Hash, Sha256>>
  /** The first files in view that are so long and whose SHA-256 is not known. */
  findUnhashed(view: View, bytes: number, most: number): Promise<readonly FileOfRef[]>
}

export interface Catalog extends CatalogReader {
  /** Before the bytes are written: where the upload is cut off, garbage collection finds its object by this. */
  reserveObject(object: ReservedObject): Promise<void>
  /** Once its bytes are deleted; one that has a name stays. */
  forgetObject(key: ObjectKey): Promise<void>
  /**
   * Gives a xorb to a ref, in one transaction with the name of its object: collection cannot come between. False when
   * the ref had it already; refused when collection came before. The chunks are those that clients may ask for.
   */
  addXorb(
    place: WritablePlace,
    xorb: Xorb,
    chunks: readonly Hash[],
    object: NewObject,
  ): Promise<boolean | Refusal>
  /** The digest of these bytes as a row of the repository has it: the same in each, where repositories share objects. */
  digestIn(repositoryUid: RepositoryUid, digest: Digest): Digest
  /** The object that has these bytes, whoever uploaded them. */
  objectOf(digest: Digest): Promise<ObjectKey | undefined>
  /** Whether any digest has this object. */
  isNamed(key: ObjectKey): Promise<boolean>
  /**
   * Gives files to a ref, with the xorbs they are made of, as `found` had them: each must still be there. False when
   * the ref had all of them already; the first reconstruction of a file stays.
   */
  addFiles(place: WritablePlace, registration: Registration): Promise<boolean | Refusal>
  /** Writes down what was computed; rows that are gone stay gone. */
  noteSha256s(repositoryUid: RepositoryUid, files: readonly HashedFile[]): Promise<void>
}

export interface Registration {
  readonly files: readonly StoredFile[]
  readonly xorbs: readonly OwnedXorb[]
  readonly chunks: readonly IndexedChunk[]
}
