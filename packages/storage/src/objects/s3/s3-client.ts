/** The requests of the storage to a store that speaks S3, about keys below the prefix of the place; each is repeated where that is safe. */

import type { UnixSeconds } from '@latchkey/protocol'
import type { S3Credentials } from '../object-store.ts'

/**
 * Keys are plain ASCII and do not have the prefix. Every method throws `StoreUnavailable` when the store cannot do it now,
 * and `DiskFull` when it has no room.
 */
export interface S3Client {
  /** Gives `exists` when the condition does not hold; nothing was written then. */
  put(key: string, body: S3Body, condition?: PutCondition): Promise<StoredVersion | 'exists'>
  /**
   * The bytes of an object, or those of one range. A transfer that breaks off goes on where it broke, in the same version of the object.
   * A part is good until the next is asked for. Throws `NoSuchObject`; throws `DamagedObject` when the object ends before the range does.
   */
  get(key: string, range?: S3Range): AsyncIterable<Uint8Array>
  /** For objects of up to 1 MiB; undefined if there is none. */
  readSmall(key: string): Promise<SmallObject | undefined>
  head(key: string): Promise<ObjectHead | undefined>
  /** An object that is not there is removed. Without a version, a bucket with versions keeps the bytes. */
  remove(key: string, versionId?: string): Promise<void>
  /** Gives false where the store has no such request; some may be removed then. */
  removeMany(objects: Iterable<ObjectVersion>): Promise<boolean>
  /** In the order of the keys. */
  list(prefix: string, options?: { readonly after?: string }): AsyncIterable<ListedObject>
  /** Every version and every mark of a removal. */
  listVersions(prefix: string): AsyncIterable<ListedVersion>
  versioning(): Promise<Versioning>
  /** A request that anyone can send who has it, once or more often, until its end. */
  signedPut(key: string, put: PutToSign): Promise<SignedRequest>
  /** Signs URLs that open one range of one object; the transfer must begin before the end. */
  signedRanges(options: SigningOptions): Promise<SignRange>
  /** Asks for a range by a signed URL, as a client of ours does; gives the status. */
  tryRange(url: string, range: S3Range): Promise<number>
  /** Ends all that is under way. */
  close(): Promise<void>
}

/** Bytes that can be sent again if the store has not taken them. */
export type S3Body = Uint8Array | ReopenedBody

export interface ReopenedBody {
  readonly bytes: number
  /** Called once for each attempt. */
  open(): AsyncIterable<Uint8Array>
}

export interface PutCondition {
  /** Only if there is no object of this key. */
  readonly ifNoneMatch?: '*'
  /** Only if the object is still this version of it. */
  readonly ifMatch?: string
}

export interface StoredVersion {
  readonly etag: string
  /** Where the bucket keeps versions. */
  readonly versionId?: string | undefined
}

export interface S3Range {
  readonly start: number
  /** The last byte is included. */
  readonly end: number
}

export interface SmallObject {
  readonly bytes: Buffer
  readonly etag: string
}

export interface ObjectHead extends StoredVersion {
  readonly bytes: number
  readonly changedAt: UnixSeconds
}

export interface ListedObject {
  readonly key: string
  readonly bytes: number
  readonly changedAt: UnixSeconds
}

export interface ListedVersion extends ListedObject {
  readonly versionId: string
  readonly isLatest: boolean
  /** It has no bytes: the version before it was removed. */
  readonly isRemoval: boolean
}

export interface ObjectVersion {
  readonly key: string
  readonly versionId?: string | undefined
}

/** `suspended`: older versions may still be there. */
export type Versioning = 'off' | 'on' | 'suspended'

/** Whose permission a signed request has, and at which origin it is sent. Left out: those of the client. */
export interface SigningOptions {
  readonly seconds: number
  readonly credentials?: S3Credentials | undefined
  /** An origin such as `https://files.example`. */
  readonly endpoint?: string | undefined
}

/** The store takes exactly so many bytes, and none where there is an object already. */
export interface PutToSign extends SigningOptions {
  readonly bytes: number
}

/** The request must have exactly this range. */
export type SignRange = (key: string, range: S3Range) => string

/** The request must have these headers, with these values. */
export interface SignedRequest {
  readonly method: 'PUT'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export { NoSuchObject } from '../object-store.ts'
