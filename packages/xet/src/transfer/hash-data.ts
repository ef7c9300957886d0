/** The hash that data has as a file of the storage, when it is cut as uploads of this library cut it. */

import { type Hash, hashAt } from '../format/hash.ts'
import { chunkHash, fileHash } from '../format/hashing.ts'
import { merkleTree } from '../format/merkle-tree.ts'
import { cutChunks } from './cut-chunks.ts'

/** A client that cuts in another way gives the same data another hash. */
export async function hashData(data: AsyncIterable<Uint8Array>): Promise<Hash> {
  const tree = merkleTree()
  for await (const chunks of cutChunks(data)) {
    for (const chunk of chunks) tree.add(chunkHash(chunk), chunk.length)
  }
  return hashAt(fileHash(tree.root()))
}
