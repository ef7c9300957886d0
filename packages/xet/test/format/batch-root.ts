/** The tree as the format defines it, level by level over everything at once: what the growing one is held against. */

import { hashAt } from '../../src/format/hash.ts'
import { nodeHash } from '../../src/format/hashing.ts'

export interface Leaf {
  readonly hash: Uint8Array
  readonly size: number
}

export function batchRoot(leaves: readonly Leaf[]): Buffer {
  let level = leaves
  while (level.length > 1) level = parents(level)
  return Buffer.from(level[0]?.hash ?? Buffer.alloc(32))
}

function parents(level: readonly Leaf[]): Leaf[] {
  const above: Leaf[] = []
  let start = 0
  while (start < level.length) {
    const end = start + lengthOfNode(level.slice(start))
    above.push(parentOf(level.slice(start, end)))
    start = end
  }
  return above
}

function lengthOfNode(left: readonly Leaf[]): number {
  if (left.length <= 2) return left.length
  const most = Math.min(9, left.length)
  for (let index = 2; index < most; index += 1) {
    const lastWord = Buffer.from(left[index]?.hash ?? []).readBigUInt64LE(24)
    if (lastWord % 4n === 0n) return index + 1
  }
  return most
}

function parentOf(children: readonly Leaf[]): Leaf {
  const lines = children.map(({ hash, size }) => `${hashAt(hash)} : ${size}\n`)
  const size = children.reduce((sum, child) => sum + child.size, 0)
  return { hash: nodeHash(lines.join('')), size }
}
