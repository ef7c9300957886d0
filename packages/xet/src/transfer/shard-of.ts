/** The shard that registers what was uploaded. */

import type { Hash } from '../format/hash.ts'
import { mostShardBytes } from '../format/limits.ts'
import { rowLength } from '../format/shard-layout.ts'
import { type NamedTable, writeShard } from '../format/write-shard.ts'
import type { RecipeTerm } from './file-recipe.ts'
import type { KnownXorb } from './known-chunks.ts'

export interface MadeFile {
  readonly hash: Hash
  readonly terms: readonly RecipeTerm[]
  readonly sha256: Uint8Array
}

/** Every xorb has its name by now. A file that came twice is registered once. */
export function shardOf(given: readonly MadeFile[], xorbs: readonly NamedTable[]): Buffer {
  const files = [...new Map(given.map((file) => [file.hash, file])).values()]
  const registered = files.map(({ terms, ...file }) => ({
    ...file,
    terms: terms.map(({ xorb, proof, ...run }) => ({ ...run, xorb: nameOf(xorb), range: proof })),
  }))
  return writeShard(registered, listed(xorbs, mostShardBytes - lengthOf(files)))
}

/** The header, the two bookends; then for each file its own row, two for each term, and the SHA-256. */
function lengthOf(files: readonly MadeFile[]): number {
  const rows = files.reduce((sum, { terms }) => sum + 2 + 2 * terms.length, 3)
  return rows * rowLength
}

/** As many as there is room for: a storage knows its xorbs, and the list only helps others to find them. */
function listed(xorbs: readonly NamedTable[], room: number): readonly NamedTable[] {
  let left = room
  return xorbs.filter(({ table }) => {
    left -= (1 + table.count) * rowLength
    return left >= 0
  })
}

function nameOf({ name }: KnownXorb): Hash {
  if (name === undefined) throw new Error('a xorb was never complete')
  return name
}
