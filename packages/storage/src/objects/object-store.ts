/** The port of what keeps the bytes of xorbs: requests, threads, maintenance, backups and checks reach objects through it alone. */

import type { UnixSeconds } from '@latchkey/protocol'
import type { RandomBytes } from '@latchkey/service/machine/random'
import type { ChunkTable } from '@latchkey/xet/format'

/**
 * BLAKE3 of the serialised bytes, in plain hexadecimal: two encodings of the same chunks are two objects. Where repositories
 * share no objects, the repository is a part of it.
 */
export type Digest = string & { readonly brand: 'digest' }

export function parseDigest(text: string): Digest | undefined {
  return /^[0-9a-f]{64}$/.test(text) ? (text as Digest) : undefined
}

/** The name of one object: random, and of no other object ever. The catalogue knows which object has the bytes of a digest. */
export type ObjectKey = string & { readonly brand: 'object key' }

/** Where a store keeps its objects, as data that can be copied to a thread. */
export type ObjectsPlace = DiskPlace | S3Place

export interface DiskPlace {
  readonly kind: 'disk'
  readonly folder: string
}

/** A bucket, or a part of one, in a store that speaks S3. */
export interface S3Place {
  readonly kind: 's3'
  readonly bucket: string
  /** Every key begins with it; it is empty or ends with `/`. */
  readonly prefix: string
  /** The origin of the store, such as `https://s3.example:9000`. */
  readonly endpoint: string
  readonly region: string
  /** Whether the bucket is the first segment of the path, and not a part of the host name. */
  readonly isPathStyle: boolean
  /** Server-side encryption of every object; if left out, the bucket decides. */
  readonly encryption?: S3Encryption | undefined
  /** If left out, the files and services of the machine are asked for them. */
  readonly credentials?: S3Credentials | undefined
  /** The origin at which clients reach the store; if left out, they do not. */
  readonly publicEndpoint?: string | undefined
  /** Sign what clients send to the store; if left out, the other credentials do. */
  readonly grantCredentials?: S3Credentials | undefined
  /** `HOME` and the variables that begin with `AWS_`, which say where these files and services are. Threads have no environment. */
  readonly awsVariables?: Readonly<Record<string, string>> | undefined
  /** For the service of a container: the value of `AWS_CONTAINER_AUTHORIZATION_TOKEN`, a secret. */
  readonly containerToken?: string | undefined
  /** Certificates in PEM to trust beside those of the system: threads do not have those of `--ca-cert`. */
  readonly caCertificates?: readonly string[] | undefined
  /** A folder of this machine for drafts. Other processes have another one. */
  readonly scratch: string
}

export interface S3Encryption {
  readonly algorithm: 'AES256' | 'aws:kms'
  readonly kmsKeyId?: string | undefined
}

/** As data that a thread can have: nothing prints it. */
export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

export interface ObjectsOptions {
  readonly randomBytes?: RandomBytes
  /** Bytes of all chunk tables in memory; if left out, none is kept. */
  readonly tableBytes?: number
  /** Watches over a body as it comes. */
  readonly guard?: (body: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>
}

/** With all defaults. */
export interface OpenOptions extends Required<Omit<ObjectsOptions, 'tableBytes'>> {
  readonly tableBytes: number | undefined
  /** Opens a store that objects are carried from. */
  openSource(place: ObjectsPlace): Promise<ObjectStore>
}

/** The name of a draft, which a thread opens it by. */
export type DraftId = string & { readonly brand: 'draft id' }

/** A draft that a thread writes. */
export interface NewDraft {
  readonly id: DraftId
  /** Removes it, unless it has become an object. */
  discard(): Promise<void>
}

/** A body that has arrived and is no object yet. */
export interface Draft extends NewDraft {
  readonly bytes: number
}

export interface DraftWriter {
  write(bytes: Uint8Array): void
  close(): void
}

/** A draft as the thread has it that checks it: a thread of its own may block. */
export interface OpenDraft {
  /** The next bytes; 0 at the end. */
  read(into: Uint8Array): number
  /** Makes it what is stored: the chunks, then their table. What the client sent behind the chunks goes. */
  complete(table: ChunkTable): void
  close(): void
}

/** One object as `list` meets it. */
export interface StoredObject {
  readonly key: ObjectKey
  /** The bytes that it takes, as `sizeOf` counts them. */
  readonly bytes: number
  readonly changedAt: UnixSeconds
}

export interface ObjectReader {
  /** The bytes that an object takes, without a table that is kept apart; undefined if there is none of this key. */
  sizeOf(key: ObjectKey): Promise<number | undefined>
  /** The same with its table, wherever that is; undefined also where only the table is lost. */
  fullSizeOf(key: ObjectKey): Promise<number | undefined>
  /**
   * Bytes `start` to `end`, the last one included; a part is good until the next is asked for. Throws `NoSuchObject`, and
   * `DamagedObject` where the object ends before that.
   */
  read(key: ObjectKey, start: number, end: number): AsyncIterable<Uint8Array>
  /** Throws `NoSuchObject`, also where only the table is lost, and `DamagedObject`. */
  table(key: ObjectKey): Promise<ChunkTable>
  /**
   * Only where clients can reach the store itself. Gives the URLs of one response, which open one range each without a token:
   * requests must have exactly this range, and begin within so many seconds.
   */
  readonly directUrls?: ((seconds: number) => Promise<DirectUrl>) | undefined
}

/** For bytes `start` to `end` of one object, the last one included. */
export type DirectUrl = (key: ObjectKey, start: number, end: number) => string

export interface CarriedObjects<Item> {
  readonly count: number
  readonly bytes: number
  /** Items that the other store does not have. */
  readonly missing: readonly Item[]
}

export interface Carriage {
  readonly from: ObjectsPlace
  /** Where a store can, both have the same bytes afterwards. */
  readonly mayShare: boolean
  onProgress(count: number, bytes: number): void
}

/** A small text of the store about itself. */
export interface StoreMarker {
  readonly text: string
  /** Another one after each write. */
  readonly version: string
}

/** A request that puts one object into the store, for a client to send. */
export interface GrantedPut {
  /** The key of the object; it was never used. */
  readonly key: ObjectKey
  readonly method: 'PUT'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Clients put objects into the store themselves: no byte passes through this process. */
export interface ObjectGrants {
  /** The store takes exactly so many bytes, at one URL only once, and only if the transfer begins in time. */
  sign(put: { readonly bytes: number; readonly seconds: number }): Promise<GrantedPut>
  /** Writes what the store keeps beside the bytes, from a draft with the same bytes that was checked. */
  adopt(key: ObjectKey, draft: Draft): Promise<void>
}

/** Abilities that not every store has. */
export interface StoreNeeds {
  /** Whether URLs of the store open one range alone. */
  readonly directDownloads?: boolean | undefined
}

export interface ObjectStore extends ObjectReader {
  /** Undefined where clients cannot reach the store, or where it would let them replace an object. */
  readonly grants?: ObjectGrants | undefined
  /** Why there are none, although clients can reach the store. */
  readonly grantsFlaw?: string | undefined
  /** Before the first body arrives. Throws `CannotStart` where objects cannot be kept. */
  prepare(needs?: StoreNeeds): Promise<void>
  /** Rejects when objects cannot be read and written now. */
  probe(): Promise<void>
  /**
   * Writes a body down as it comes; undefined when it is longer than `most`, and the rest is not read. A part is no longer
   * needed when the next is asked for.
   */
  receive(body: AsyncIterable<Uint8Array>, most: number): Promise<Draft | undefined>
  /**
   * Does not read ahead: how much of a refused draft was read depends on its bytes, not on the
   * speed of the disk.
   */
  readDraft(id: DraftId): AsyncIterable<Uint8Array>
  openDraft(id: DraftId): OpenDraft
  /** A name for a draft that a thread writes: nothing of it is there yet. */
  newDraft(id?: DraftId): NewDraft
  createDraft(id: DraftId): DraftWriter
  /**
   * Makes an object of a draft, under a key that was never used. Comes back when its bytes and its key outlive a loss of
   * power: only then may a transaction name it.
   */
  put(draft: Draft): Promise<ObjectKey>
  /** For good. An object that is read just now stays readable where the store can do that. */
  remove(key: ObjectKey): Promise<void>
  /** The same, in few requests where the store can do that. Some may stay when it fails. */
  removeMany(keys: readonly ObjectKey[]): Promise<void>
  list(): AsyncIterable<StoredObject>
  /** Removes drafts of processes that are gone; gives how many and how large they were. */
  sweepDrafts(olderThan: UnixSeconds, isDryRun: boolean): Promise<{ count: number; bytes: number }>
  /** Brings objects here from another store; what an earlier attempt has brought stays. */
  carry<Item extends { readonly key: ObjectKey }>(
    items: Iterable<Item>,
    carriage: Carriage,
  ): Promise<CarriedObjects<Item>>
  /** Undefined where none was ever written: the store is new, or not the one that was meant. */
  readMarker(): Promise<StoreMarker | undefined>
  /**
   * Writes the marker, if it still has this version; `new`, if there is none. Of two writers one gets `true`. With `false`,
   * or an error, it is not sure what is there: read it again.
   */
  writeMarker(text: string, version: string | 'new'): Promise<boolean>
  /** Where an operator finds an object. */
  addressOf(key: ObjectKey): string
  /** Comes back when nothing of it is under way; nothing is asked of it afterwards. */
  close(): Promise<void>
}

/** There is no object of this key. */
export class NoSuchObject extends Error {
  override readonly name = 'NoSuchObject'
}

/** An object is there, but not what was kept. */
export class DamagedObject extends Error {
  override readonly name = 'DamagedObject'
}

/** Undefined where an object or its table is gone or damaged: who has its bytes may bring them again. */
export async function tableUnlessLost(
  { table }: Pick<ObjectReader, 'table'>,
  key: ObjectKey,
): Promise<ChunkTable | undefined> {
  try {
    return await table(key)
  } catch (error) {
    if (error instanceof NoSuchObject || error instanceof DamagedObject) return undefined
    throw error
  }
}

/** There is no room left to write; nothing was kept. */
export class DiskFull extends Error {
  override readonly name = 'DiskFull'
}

/** The store that keeps the objects cannot be reached, or cannot serve now. The message says why, in one line without secrets. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
  /** An operator must change something: the bucket, the credentials, a certificate. */
  readonly isLasting: boolean
  /** The same without the names of the bucket and its store. */
  readonly reason: string

  constructor(
    message: string,
    {
      isLasting = false,
      reason = message,
    }: { readonly isLasting?: boolean; readonly reason?: string } = {},
  ) {
    super(message)
    this.isLasting = isLasting
    this.reason = reason
  }
}
