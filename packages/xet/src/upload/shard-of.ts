import type { Hash } from '../format/hash.ts'
import { maxShardBytes } from '../format/limits.ts'
import { emptyShardLength, fileLength, xorbLength } from '../format/shard-rows.ts'
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
  const listed = fitting(own, maxShardBytes - lengthOf(files))
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

/**
 * Bounds of a shard. A storage may accept more; the embedded one accepts this unless its operator
 * changes it.
 */
const shardBounds = {
  files: 8192,
  xorbs: 2048,
  terms: 131_072,
  chunks: 2_097_152,
  bytes: maxShardBytes,
} as const

type Amount = Record<keyof typeof shardBounds, number>

/** In their order. A file that is too large for any shard is alone in its group, and the storage refuses it. */
export function* splitFiles(
  files: readonly MadeFile[],
  bounds: Amount = shardBounds,
): Generator<readonly MadeFile[]> {
  let group = emptyGroup()
  for (const file of files) {
    if (group.files.length > 0 && exceeds(amountWith(group, file), bounds)) {
      yield group.files
      group = emptyGroup()
    }
    group.amount = amountWith(group, file)
    group.files.push(file)
    for (const { xorb } of file.terms) group.xorbs.add(xorb)
  }
  if (group.files.length > 0) yield group.files
}

interface Group {
  readonly files: MadeFile[]
  readonly xorbs: Set<KnownXorb>
  amount: Amount
}

function emptyGroup(): Group {
  const amount = { files: 0, xorbs: 0, terms: 0, chunks: 0, bytes: emptyShardLength }
  return { files: [], xorbs: new Set(), amount }
}

function amountWith({ amount, xorbs }: Group, { terms }: MadeFile): Amount {
  const added = new Set(terms.map(({ xorb }) => xorb).filter((xorb) => !xorbs.has(xorb)))
  return {
    files: amount.files + 1,
    xorbs: amount.xorbs + added.size,
    terms: amount.terms + terms.length,
    chunks: terms.reduce((sum, { start, end }) => sum + end - start, amount.chunks),
    bytes: amount.bytes + fileLength(terms.length),
  }
}

function exceeds(amount: Amount, bounds: Amount): boolean {
  return (Object.keys(amount) as (keyof Amount)[]).some((what) => amount[what] > bounds[what])
}
