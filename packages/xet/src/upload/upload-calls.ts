import type { Hash } from '../format/hash.ts'

export interface UploadCalls {
  /** A shard that tells which xorbs have the chunk and what may follow it; undefined where none has it. */
  findChunk(chunk: Hash): Promise<Uint8Array | undefined>
  /** Whether the file is registered where it is uploaded to, so that it need not be again. */
  hasFile(file: Hash): Promise<boolean>
  /** The bytes come in parts, whose memory is used for other bytes as soon as this is done. */
  sendXorb(xorb: Hash, parts: readonly Uint8Array[]): Promise<void>
  sendShard(shard: Uint8Array): Promise<void>
}
