/** Xorbs for benchmarks: many that differ in their first chunk alone, so that each is new and making it costs little. */

import { createCipheriv, randomBytes } from 'node:crypto'
import {
  chunkHash,
  type Hash,
  hashAt,
  merkleTree,
  packChunk,
  type Scheme,
} from '@latchkey/xet/format'

export interface BenchXorb {
  readonly hash: Hash
  /** Its bytes, one after the other. */
  readonly parts: readonly Uint8Array[]
}

/** What all xorbs of one kind have behind their first chunk. */
export interface Kind {
  readonly megabytes: number
  readonly packing: Packing
}

export type Packing = 'incompressible' | 'LZ4'

const chunkBytes = 64 * 1024
const schemeOf: Record<Packing, Scheme> = { incompressible: 'none', LZ4: 'lz4' }

/** Gives a new xorb at every call. */
export function xorbMaker({ megabytes, packing }: Kind): () => BenchXorb {
  const scheme = schemeOf[packing]
  const distinct = Array.from({ length: 64 }, (_, index) => contentOf(packing, index))
  const hashes = distinct.map(chunkHash)
  const packed = distinct.map((chunk) => packChunk(chunk, scheme))
  const count = megabytes * 16 - 1
  const rest = Buffer.concat(Array.from({ length: count }, (_, index) => inTurn(packed, index)))
  return () => {
    const first = randomBytes(chunkBytes)
    const tree = merkleTree()
    tree.add(chunkHash(first), chunkBytes)
    for (let index = 0; index < count; index += 1) tree.add(inTurn(hashes, index), chunkBytes)
    return { hash: hashAt(tree.root()), parts: [packChunk(first, scheme), rest] }
  }
}

/** Noise, or noise that says everything in runs: less than half the size when packed. */
function contentOf(packing: Packing, seed: number): Buffer {
  const noise = createCipheriv('aes-128-ctr', Buffer.alloc(16, seed), Buffer.alloc(16)).update(
    Buffer.alloc(chunkBytes),
  )
  if (packing === 'incompressible') return noise
  for (let index = 0; index < chunkBytes; index += 32) noise.copyWithin(index + 12, 0, 20)
  return noise
}

function inTurn(parts: readonly Uint8Array[], index: number): Uint8Array {
  return parts[index % parts.length] ?? Buffer.alloc(0)
}

export function lengthOf({ parts }: BenchXorb): number {
  return parts.reduce((sum, part) => sum + part.length, 0)
}
