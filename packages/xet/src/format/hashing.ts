/** The hashes of the format: BLAKE3 under a key for each purpose, so that none passes for another. */

import { blake3Under } from '#platform/hashes'
import { sameBytes } from './bytes.ts'
import { hashLength } from './hash.ts'

// biome-ignore format: keys are read as blocks
const chunkKey = Uint8Array.from([
  102, 151, 245, 119,  91, 149,  80, 222,  49,  53, 203, 172, 165, 151,  24,  28,
  157, 228,  33,  16, 155, 235,  43,  88, 180, 208, 176,  75, 147, 173, 242,  41,
])

// biome-ignore format: keys are read as blocks
const nodeKey = Uint8Array.from([
    1, 126, 197, 199, 165,  71,  41, 150, 253, 148, 102, 102, 180, 138,   2, 230,
   93, 221,  83, 111,  55, 199, 109, 210, 248,  99,  82, 230,  74,  83, 113,  63,
])

// biome-ignore format: keys are read as blocks
const rangeKey = Uint8Array.from([
  127,  24,  87, 214, 206,  86, 237, 102,  18, 127, 249,  19, 231, 165, 195, 243,
  164, 205,  38, 213, 181, 219,  73, 230,  65,  36, 152, 127,  40, 251, 148, 195,
])

const noHash = new Uint8Array(hashLength)

/** Hashes the unpacked bytes of a chunk. */
export const chunkHash = blake3Under(chunkKey)

/** Hashes the lines that make a node of the tree. */
export const nodeHash = blake3Under(nodeKey)

/**
 * Hashes chunk hashes, one behind the other: proves that a client that names a range of chunks had
 * them.
 */
export const rangeHash = blake3Under(rangeKey)

const rootHash = blake3Under(noHash)

/**
 * Hashes the root of the tree over a file's chunks; a file without chunks has the hash of an empty
 * text.
 */
export function fileHash(root: Uint8Array): Uint8Array<ArrayBuffer> {
  return sameBytes(noHash, root) ? new Uint8Array(noHash) : rootHash(root)
}

/** Which chunks clients ask for, besides the first of a file: one in 1024, by the last word of its hash. */
export function isEligible(hash: Uint8Array): boolean {
  return hash[24] === 0 && ((hash[25] ?? 0) & 3) === 0
}
