/** Chunks that need not be sent, because a xorb has them already. */

import { IntegrityError, isFormatError } from '../format/format-error.ts'
import type { Hash } from '../format/hash.ts'
import { readShard, type ShardXorb } from '../format/read-shard.ts'
import type { UploadCalls } from './upload-calls.ts'

/** A xorb that terms may refer to. One that is being filled gets its name when it is complete. */
export interface KnownXorb {
  name: Hash | undefined
  /** Empty once it is forgotten: terms need the name alone. */
  readonly chunks: Hash[]
}

export interface ChunkPlace {
  readonly xorb: KnownXorb
  readonly index: number
}

interface KnownChunks {
  find(chunk: Hash): ChunkPlace | undefined
  learn(place: ChunkPlace): void
}

/** Only so many chunks are remembered: those of the xorbs that were learnt of last. */
export function knownChunks(maxChunks: number): KnownChunks {
  const places = new Map<Hash, ChunkPlace>()
  const xorbs = new Set<KnownXorb>()
  let learnt = 0
  const forgetOldest = () => {
    // One that is being filled has no name yet, and gets more chunks.
    const xorb = firstOf(xorbs, ({ name }) => name !== undefined)
    if (xorb === undefined) return
    xorbs.delete(xorb)
    for (const chunk of xorb.chunks) {
      if (places.get(chunk)?.xorb === xorb) places.delete(chunk)
    }
    learnt -= xorb.chunks.length
    xorb.chunks.length = 0
  }
  return {
    find: (chunk) => places.get(chunk),
    learn(place) {
      const { xorb, index } = place
      const chunk = xorb.chunks[index]
      // The first place stays: what follows it there may follow here too.
      if (chunk !== undefined && !places.has(chunk)) places.set(chunk, place)
      xorbs.add(xorb)
      learnt += 1
      if (learnt > maxChunks) forgetOldest()
    },
  }
}

function firstOf<One>(all: Iterable<One>, isWanted: (one: One) => boolean): One | undefined {
  for (const one of all) if (isWanted(one)) return one
  return undefined
}

/** About 16 GiB that the next chunk may be a repetition of: some 50 MB in memory. */
const rememberedChunks = 262_144

export interface ChunkFinder {
  placeOf(chunk: Hash): ChunkPlace | undefined
  /** The storage is asked once for each chunk, also by several files at once. */
  ask(chunk: Hash): Promise<ChunkPlace | undefined>
  learn(place: ChunkPlace): void
}

export function chunkFinder(
  { findChunk }: Pick<UploadCalls, 'findChunk'>,
  maxChunks = rememberedChunks,
): ChunkFinder {
  const chunks = knownChunks(maxChunks)
  /** Chunks that are being looked up, and chunks that were not found. */
  const pending = new Map<Hash, Promise<void>>()
  const learn = async (chunk: Hash) => {
    const shard = await findChunk(chunk)
    if (shard === undefined) return
    await learnShard(shard, chunks)
    pending.delete(chunk)
  }
  return {
    placeOf: chunks.find,
    async ask(chunk) {
      const found = chunks.find(chunk)
      if (found !== undefined) return found
      const asking = pending.get(chunk) ?? learn(chunk)
      pending.set(chunk, asking)
      await asking
      return chunks.find(chunk)
    },
    learn: chunks.learn,
  }
}

/** Learns from a storage's shard which chunks need no upload. */
async function learnShard(shard: Uint8Array, knownChunks: KnownChunks): Promise<void> {
  for await (const part of readShard(inOnePiece(shard))) {
    if (isFormatError(part))
      throw new IntegrityError(`the storage sent a shard that cannot be read: ${part.flaw}`)
    if (part.kind !== 'xorb' || isKnown(part, knownChunks)) continue
    const xorb: KnownXorb = {
      name: part.hash,
      chunks: Array.from({ length: part.chunks.count }, (_, index) => part.chunks.hash(index)),
    }
    for (const index of xorb.chunks.keys()) knownChunks.learn({ xorb, index })
  }
}

/** Answers to several questions may tell of the same xorb. */
function isKnown({ hash, chunks }: ShardXorb, knownChunks: KnownChunks): boolean {
  return knownChunks.find(chunks.hash(0))?.xorb.name === hash
}

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
