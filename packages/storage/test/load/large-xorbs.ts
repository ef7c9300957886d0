/** Large xorbs that differ in their first chunk alone, so that many of them take the memory of one. */

import { makeXorb, randomBytes, randomChunks } from '@latchkey/testing/xet/making'
import { type Hash, hashAt, merkleTree, type WrittenXorb } from '@latchkey/xet/format'

export interface LargeXorb {
  readonly hash: Hash
  /** Its bytes, one after the other. */
  readonly parts: readonly Buffer[]
}

const chunkBytes = 64 * 1024

export function largeXorbs(count: number, megabytes: number): readonly LargeXorb[] {
  const chunks = megabytes * 16 - 1
  const rest = makeXorb(randomChunks('rest', chunks, chunkBytes), { scheme: 'none' })
  return Array.from({ length: count }, (_, index) => {
    const first = makeXorb([randomBytes(`first ${index}`, chunkBytes)], { scheme: 'none' })
    return { hash: hashOfBoth(first, rest), parts: [first.bytes, rest.bytes] }
  })
}

function hashOfBoth(...xorbs: readonly WrittenXorb[]): Hash {
  const tree = merkleTree()
  for (const { table } of xorbs) {
    for (let index = 0; index < table.count; index += 1) {
      tree.add(table.hashBytes(index), table.unpackedLength(index))
    }
  }
  return hashAt(tree.root())
}
