/** The shard that registers what was uploaded. */

import type { Hash } from '../format/hash.ts'
import { mostShardBytes } from '../format/limits.ts'
import { emptyShardLength, fileLength, xorbLength } from '../format/shard-length.ts'
import { type NamedTable, writeShard } from '../format/write-shard.ts'
import type { RecipeTerm } from './file-recipe.ts'
import type { KnownXorb } from './known-chunks.ts'

export interface MadeFile {
  readonly hash: Hash
  readonly terms: readonly RecipeTerm[]
  readonly sha256: Uint8Array
  /** Whether anything of it had to be sent. */
  readonly isNew: boolean
}

/** Every xorb has its name by now. Those of `xorbs` that the files are made of are listed in the shard. */
export function shardOf<Table extends NamedTable>(
  files: readonly MadeFile[],
  xorbs: readonly Table[],
): { readonly shard: Uint8Array; readonly listed: ReadonlySet<Table> } {
  const registered = files.map(({ hash, sha256, terms }) => ({
    ...{ hash, sha256 },
    terms: terms.map(({ xorb, proof, ...run }) => ({ ...run, xorb: nameOf(xorb), range: proof })),
  }))
  const used = new Set(registered.flatMap(({ terms }) => terms.map(({ xorb }) => xorb)))
  const own = xorbs.filter(({ hash }) => used.has(hash))
  const listed = fitting(own, mostShardBytes - lengthOf(files))
  return { shard: writeShard(registered, listed), listed: new Set(listed) }
}

function lengthOf(files: readonly MadeFile[]): number {
  return files.reduce((sum, { terms }) => sum + fileLength(terms.length), emptyShardLength)
}

/** As many as there is room for: a storage knows its xorbs, and the list only helps others to find them. */
function fitting<Table extends NamedTable>(
  xorbs: readonly Table[],
  room: number,
): readonly Table[] {
  let left = room
  return xorbs.filter(({ table }) => {
    left -= xorbLength(table.count)
    return left >= 0
  })
}

function nameOf({ name }: KnownXorb): Hash {
  if (name === undefined) throw new Error('a xorb was never complete')
  return name
}
