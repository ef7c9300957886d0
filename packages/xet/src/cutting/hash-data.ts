/** The hash that data has as a file of the storage, when it is cut as uploads of this library cut it. */

import { type Hash, hashAt } from '../format/hash.ts'
import { fileHash } from '../format/hashing.ts'
import { merkleTree } from '../format/merkle-tree.ts'
import { fileCutter } from './file-cutter.ts'

/** A client that cuts in another way gives the same data another hash. */
export async function hashData(data: AsyncIterable<Uint8Array>): Promise<Hash> {
  const tree = merkleTree()
  const cutter = fileCutter()
  try {
    for await (const { chunks } of cutter.cut(data)) {
      for (const { bytes, hash } of chunks) tree.add(hash, bytes.length)
    }
  } finally {
    cutter.end()
  }
  return hashAt(fileHash(tree.root()))
}
