/** Checks xorbs on threads of their own. */

import type { FormatError, Hash } from '@latchkey/xet/format'
import { unlessFull } from '../objects/file-errors.ts'
import type { Digest, DraftId, ObjectsPlace } from '../objects/object-store.ts'
import type { OpenPool } from '../threads/thread-pool.ts'

export interface CheckTask {
  readonly draft: DraftId
  readonly expected: Hash
}

export interface CheckedXorb {
  readonly digest: Digest
  readonly packedBytes: number
  readonly unpackedBytes: number
  readonly chunks: number
  /** Chunks that clients may ask for, each once. */
  readonly askedChunks: readonly Hash[]
}

export interface XorbChecker {
  /** The draft is an object afterwards, with its chunk table, and not synced yet; with a flaw it is as it was. */
  check(draft: DraftId, expected: Hash): Promise<CheckedXorb | FormatError>
  /** Xorbs that are not checked yet fail. */
  close(): Promise<void>
}

/**
 * One thread takes about 60 MB in all, however large the xorb: it holds a window of the file, one chunk both ways and the
 * table; the rest is its own and what is not collected yet.
 */
export function xorbChecker(openPool: OpenPool, data: ObjectsPlace, threads: number): XorbChecker {
  const module = new URL('./xorb-work.ts', import.meta.url)
  const pool = openPool<CheckTask, never, CheckedXorb | FormatError>({ module, data, threads })
  return {
    check: (draft, expected) => unlessFull(() => pool.run({ draft, expected })),
    close: pool.close,
  }
}
