/** Where the bytes of xorbs live: the port that a directory implements. */

import type { UnixSeconds } from '@latchkey/protocol'
import type { ChunkTable } from '@latchkey/xet/format'

/** BLAKE3 of the serialised bytes, in plain hexadecimal: two encodings of the same chunks are two objects. */
export type Digest = string & { readonly brand: 'digest' }

export function parseDigest(text: string): Digest | undefined {
  return /^[0-9a-f]{64}$/.test(text) ? (text as Digest) : undefined
}

/** A body that has arrived, without a name yet; a file, so that a checker on another thread can read it. */
export interface Draft {
  readonly file: string
  readonly bytes: number
  /** Comes back when all of it is on the disk for good. */
  sync(): Promise<void>
  /** Removes it, unless it was kept. */
  discard(): Promise<void>
}

/** One object as `list` meets it. */
export interface StoredObject {
  readonly digest: Digest
  /** What it takes on the disk. */
  readonly bytes: number
  readonly changedAt: UnixSeconds
}

export interface ObjectStore {
  /** Writes a body down as it comes; undefined when it is longer than `most`, and the rest is not read. */
  receive(body: AsyncIterable<Uint8Array>, most: number): Promise<Draft | undefined>
  /** Gives a synced draft its name for good; an object of that name stays as it is, and the draft a draft. */
  keep(draft: Draft, digest: Digest): Promise<void>
  has(digest: Digest): Promise<boolean>
  /** Bytes `start` to `end`, the last one included; a part is good until the next is asked for. */
  read(digest: Digest, start: number, end: number): AsyncIterable<Uint8Array>
  table(digest: Digest): Promise<ChunkTable>
  remove(digest: Digest): Promise<void>
  list(): AsyncIterable<StoredObject>
  /** Removes drafts of processes that are gone; gives how many and how large they were. */
  sweepDrafts(olderThan: UnixSeconds, isDryRun: boolean): Promise<{ count: number; bytes: number }>
}

/** An object is there, but not what was kept. */
export class DamagedObject extends Error {
  override readonly name = 'DamagedObject'
}

/** There is no room left to write; nothing was kept. */
export class DiskFull extends Error {
  override readonly name = 'DiskFull'
}
