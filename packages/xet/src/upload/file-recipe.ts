/** Builds the terms of a file chunk by chunk: neighbours in a xorb become one term. */

import { joinBytes } from '../format/bytes.ts'
import type { Hash } from '../format/hash.ts'
import { rangeHash } from '../format/hashing.ts'
import type { ChunkPlace, KnownXorb } from './known-chunks.ts'

export interface RecipeTerm {
  readonly xorb: KnownXorb
  readonly start: number
  readonly end: number
  readonly unpackedBytes: number
  /** Proves that whoever made the recipe had the chunks. */
  readonly proof: Uint8Array
}

/** Below this, terms are as short as they come: a small file may be made of single chunks. */
const fewTerms = 128
/** More pieces than this for what is there would make the file slow to read. */
const chunksPerTerm = 8

export interface FileRecipe {
  isEmpty(): boolean
  /** Where the next chunk would make the last term longer, if that is what stands there. */
  continuation(chunk: Hash): ChunkPlace | undefined
  /** Whether the last chunk was the last of its xorb, and the xorb is complete. */
  endsXorb(): boolean
  /** Whether another term would be one too many. */
  isScattered(): boolean
  add(place: ChunkPlace, hash: Uint8Array, bytes: number): void
  finish(): readonly RecipeTerm[]
}

export function fileRecipe(): FileRecipe {
  const terms: RecipeTerm[] = []
  let open: OpenTerm | undefined
  let chunks = 0
  const close = () => {
    if (open === undefined) return
    const { hashes, ...term } = open
    terms.push({ ...term, proof: rangeHash(joinBytes(hashes)) })
    open = undefined
  }
  return {
    isEmpty: () => chunks === 0,
    continuation(chunk) {
      if (open === undefined || open.xorb.chunks[open.end] !== chunk) return undefined
      return { xorb: open.xorb, index: open.end }
    },
    endsXorb: () => open?.xorb.name !== undefined && open.end === open.xorb.chunks.length,
    isScattered: () => terms.length >= fewTerms && chunks < terms.length * chunksPerTerm,
    add({ xorb, index }, hash, bytes) {
      chunks += 1
      if (open?.xorb !== xorb || open.end !== index) {
        close()
        open = { xorb, start: index, end: index, unpackedBytes: 0, hashes: [] }
      }
      open.end += 1
      open.unpackedBytes += bytes
      open.hashes.push(hash)
    },
    finish() {
      close()
      return terms
    },
  }
}

interface OpenTerm {
  readonly xorb: KnownXorb
  readonly start: number
  end: number
  unpackedBytes: number
  readonly hashes: Uint8Array[]
}
