/** Finds chunks that need not be sent: among those that are known, or by asking the storage. */

import type { Hash } from '../format/hash.ts'
import { type ChunkPlace, knownChunks } from './known-chunks.ts'
import { learnShard } from './learn-shard.ts'
import type { UploadCalls } from './upload-calls.ts'

/** About 16 GiB that the next chunk may be a repetition of: some 50 MB in memory. */
const rememberedChunks = 262_144

export interface ChunkFinder {
  known(chunk: Hash): ChunkPlace | undefined
  /** The storage is asked once for each chunk, also by several files at once. */
  ask(chunk: Hash): Promise<ChunkPlace | undefined>
  learn(place: ChunkPlace): void
}

export function chunkFinder({ findChunk }: Pick<UploadCalls, 'findChunk'>): ChunkFinder {
  const chunks = knownChunks(rememberedChunks)
  /** Those that are asked for just now, and those that were not found. */
  const asked = new Map<Hash, Promise<void>>()
  const learn = async (chunk: Hash) => {
    const shard = await findChunk(chunk)
    if (shard === undefined) return
    await learnShard(shard, chunks)
    asked.delete(chunk)
  }
  return {
    known: chunks.find,
    async ask(chunk) {
      const found = chunks.find(chunk)
      if (found !== undefined) return found
      const asking = asked.get(chunk) ?? learn(chunk)
      asked.set(chunk, asking)
      await asking
      return chunks.find(chunk)
    },
    learn: chunks.learn,
  }
}
