/** Chunks that need not be sent, because a xorb has them already. */

import type { Hash } from '../format/hash.ts'

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

export interface KnownChunks {
  find(chunk: Hash): ChunkPlace | undefined
  learn(place: ChunkPlace): void
}

/** Only so many chunks are remembered: those of the xorbs that were learnt of last. */
export function knownChunks(mostChunks: number): KnownChunks {
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
      if (learnt > mostChunks) forgetOldest()
    },
  }
}

function firstOf<One>(all: Iterable<One>, isWanted: (one: One) => boolean): One | undefined {
  for (const one of all) if (isWanted(one)) return one
  return undefined
}
