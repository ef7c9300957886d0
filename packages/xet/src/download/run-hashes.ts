/** The hashes and lengths of the chunks of a run, as they were found: what the hash of the file is made from. */

import { hashLength } from '../format/hash.ts'
import type { MerkleTree } from '../format/merkle-tree.ts'
import type { Run } from './read-reconstruction.ts'

export interface RunHashes {
  /** How many of its chunks are known. */
  readonly count: number
  add(hash: Uint8Array, length: number): void
  /** Adds chunks `start` to before `end` of the xorb to a tree. */
  addTo(tree: MerkleTree, start: number, end: number): void
}

export function runHashes(run: Pick<Run, 'start' | 'end'>): RunHashes {
  const hashes = Buffer.alloc((run.end - run.start) * hashLength)
  const lengths = new Uint32Array(run.end - run.start)
  let count = 0
  return {
    get count() {
      return count
    },
    add(hash, length) {
      hashes.set(hash, count * hashLength)
      lengths[count] = length
      count += 1
    },
    addTo(tree, start, end) {
      for (let index = start - run.start; index < end - run.start; index += 1) {
        const hash = hashes.subarray(index * hashLength, (index + 1) * hashLength)
        tree.add(hash, lengths[index] ?? 0)
      }
    },
  }
}
