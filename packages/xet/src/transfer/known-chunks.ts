/** Chunks that need not be sent, because a xorb has them already. */

import type { Hash } from '../format/hash.ts'

/** A xorb that terms may refer to. One that is being filled gets its name when it is complete. */
export interface KnownXorb {
  name: Hash | undefined
  readonly chunks: Hash[]
}

export interface ChunkPlace {
  readonly xorb: KnownXorb
  readonly index: number
}

export interface KnownChunks {
  find(chunk: Hash): ChunkPlace | undefined
  learn(place: ChunkPlace): void
}

/** Only so many xorbs are remembered: those that were learnt of last. */
export function knownChunks(mostXorbs: number): KnownChunks {
  const places = new Map<Hash, ChunkPlace>()
  const xorbs = new Set<KnownXorb>()
  const forget = (xorb: KnownXorb) => {
    xorbs.delete(xorb)
    for (const chunk of xorb.chunks) {
      if (places.get(chunk)?.xorb === xorb) places.delete(chunk)
    }
  }
  return {
    find: (chunk) => places.get(chunk),
    learn(place) {
      const { xorb, index } = place
      const chunk = xorb.chunks[index]
      // The first place stays: what follows it there may follow here too.
      if (chunk !== undefined && !places.has(chunk)) places.set(chunk, place)
      xorbs.add(xorb)
      const [oldest] = xorbs
      if (xorbs.size > mostXorbs && oldest !== undefined) forget(oldest)
    },
  }
}
