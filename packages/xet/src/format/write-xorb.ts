/** Puts chunks into a xorb. */

import type { Scheme } from './chunk-header.ts'
import { type ChunkTable, chunkTableBuilder } from './chunk-table.ts'
import { type Hash, hashAt } from './hash.ts'
import { chunkHash } from './hashing.ts'
import { joinBytes } from './join-bytes.ts'
import { merkleTree } from './merkle-tree.ts'
import { packChunk } from './pack-chunk.ts'

export interface WrittenXorb {
  readonly hash: Hash
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly table: ChunkTable
}

/** Without a scheme, each chunk gets the one that makes it smallest. */
export function writeXorb(chunks: Iterable<Uint8Array>, scheme?: Scheme): WrittenXorb {
  const tree = merkleTree()
  const table = chunkTableBuilder()
  const parts: Uint8Array[] = []
  let end = 0
  for (const chunk of chunks) {
    const hash = chunkHash(chunk)
    const part = packChunk(chunk, scheme)
    parts.push(part)
    end += part.length
    tree.add(hash, chunk.length)
    table.add(hash, chunk.length, end)
  }
  return { hash: hashAt(tree.root()), bytes: joinBytes(parts), table: table.build() }
}
