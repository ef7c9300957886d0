/** What came must be the file that was asked for: its hash is the root over all chunks. */

import { type Hash, hashAt } from '../format/hash.ts'
import { fileHash } from '../format/hashing.ts'
import type { MerkleTree } from '../format/merkle-tree.ts'
import { OtherFile } from '../format/misdelivered.ts'

export function refuseOtherFile(tree: MerkleTree, file: Hash): void {
  const came = hashAt(fileHash(tree.root()))
  if (came === file) return
  throw new OtherFile(`the storage sent another file, ${came}, instead of ${file}`)
}
