/** What an upload asks of a storage. */

import type { Hash } from '../format/hash.ts'

export interface UploadCalls {
  /** A shard that tells which xorb has the chunk, and what else it has; undefined where none does. */
  findChunk(chunk: Hash): Promise<Uint8Array | undefined>
  /** The bytes come in parts, which are let go once they are sent. */
  sendXorb(xorb: Hash, parts: readonly Uint8Array[]): Promise<void>
  sendShard(shard: Uint8Array): Promise<void>
}
