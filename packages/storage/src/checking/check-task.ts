/** What is asked of a thread that checks xorbs, and what it answers. */

import type { Hash } from '@latchkey/xet/format'
import type { Digest, DraftId } from '../objects/port.ts'

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
