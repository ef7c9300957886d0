/** The hashes and lengths of the chunks of a run, as they were found: what the hash of the file is made from. */

import { hashLength } from '../format/hash.ts'
import { withRoom } from '../format/join-bytes.ts'
import type { MerkleTree } from '../format/merkle-tree.ts'
import type { Run } from './read-reconstruction.ts'

export interface RunHashes {
  /** How many of its chunks are known. */
  readonly count: number
  add(hash: Uint8Array, length: number): void
  /** Adds chunks `start` to before `end` of the xorb to a tree. */
  addTo(tree: MerkleTree, start: number, end: number): void
}

const firstRoom = 64

export function runHashes(run: Pick<Run, 'start' | 'end'>): RunHashes {
  // They grow as chunks come: how many there will be is only announced.
  let hashes = new Uint8Array(0)
  const lengths: number[] = []
  return {
    get count() {
      return lengths.length
    },
    add(hash, length) {
      const begin = lengths.length * hashLength
      if (begin === hashes.length) {
        hashes = withRoom(hashes, Math.max(2 * hashes.length, firstRoom * hashLength))
      }
      hashes.set(hash, begin)
      lengths.push(length)
    },
    addTo(tree, start, end) {
      for (let index = start - run.start; index < end - run.start; index += 1) {
        const hash = hashes.subarray(index * hashLength, (index + 1) * hashLength)
        tree.add(hash, lengths[index] ?? 0)
      }
    },
  }
}
