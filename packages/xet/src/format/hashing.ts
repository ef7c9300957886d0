/** The hashes of the format: BLAKE3 under a key for each purpose, so that none passes for another. */

import { Blake3Hasher } from '@napi-rs/blake-hash'
import { hashLength } from './hash.ts'

// biome-ignore format: keys are read as blocks
const chunkKey = Buffer.from([
  102, 151, 245, 119,  91, 149,  80, 222,  49,  53, 203, 172, 165, 151,  24,  28,
  157, 228,  33,  16, 155, 235,  43,  88, 180, 208, 176,  75, 147, 173, 242,  41,
])

// biome-ignore format: keys are read as blocks
const nodeKey = Buffer.from([
    1, 126, 197, 199, 165,  71,  41, 150, 253, 148, 102, 102, 180, 138,   2, 230,
   93, 221,  83, 111,  55, 199, 109, 210, 248,  99,  82, 230,  74,  83, 113,  63,
])

// biome-ignore format: keys are read as blocks
const rangeKey = Buffer.from([
  127,  24,  87, 214, 206,  86, 237, 102,  18, 127, 249,  19, 231, 165, 195, 243,
  164, 205,  38, 213, 181, 219,  73, 230,  65,  36, 152, 127,  40, 251, 148, 195,
])

const noHash = Buffer.alloc(hashLength)

/** Of the unpacked bytes of a chunk. */
export const chunkHash = hashUnder(chunkKey)

/** Of the lines that a node of the tree is made of. */
export const nodeHash = hashUnder(nodeKey)

/** Of chunk hashes, one behind the other: shows that whoever names a run of chunks had them. */
export const rangeHash = hashUnder(rangeKey)

const rootHash = hashUnder(noHash)

/** Of the root of the tree over a file's chunks; a file without chunks has the hash of nothing. */
export function fileHash(root: Uint8Array): Buffer {
  return noHash.equals(root) ? Buffer.from(noHash) : rootHash(root)
}

/** One hasher a key: making one takes longer than hashing a node. */
function hashUnder(key: Buffer): (bytes: Uint8Array | string) => Buffer {
  const hasher = Blake3Hasher.newKeyed(key)
  return (bytes) => {
    hasher.reset()
    return hasher.update(bytes).digestBuffer()
  }
}
