/** What a storage tells about its xorbs, learnt: chunks that need not be sent. */

import { isFlaw } from '../format/flaw.ts'
import { Misdelivered } from '../format/misdelivered.ts'
import { readShard, type ShardXorb } from '../format/read-shard.ts'
import type { KnownChunks, KnownXorb } from './known-chunks.ts'

export async function learnShard(shard: Uint8Array, known: KnownChunks): Promise<void> {
  for await (const part of readShard(inOnePiece(shard))) {
    if (isFlaw(part))
      throw new Misdelivered(`the storage sent a shard that cannot be read: ${part.flaw}`)
    if (part.kind !== 'xorb' || isKnown(part, known)) continue
    const xorb: KnownXorb = {
      name: part.hash,
      chunks: Array.from({ length: part.chunks.count }, (_, index) => part.chunks.hash(index)),
    }
    for (const index of xorb.chunks.keys()) known.learn({ xorb, index })
  }
}

/** Answers to several questions may tell of the same xorb. */
function isKnown({ hash, chunks }: ShardXorb, known: KnownChunks): boolean {
  return known.find(chunks.hash(0))?.xorb.name === hash
}

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
