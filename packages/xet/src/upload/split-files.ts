/** Splits files into groups that one shard each can register. */

import { mostShardBytes } from '../format/limits.ts'
import { emptyShardLength, fileLength } from '../format/shard-length.ts'
import type { KnownXorb } from './known-chunks.ts'
import type { MadeFile } from './shard-of.ts'

/** What a shard may hold. A storage may take more; the embedded one takes this unless its operator says otherwise. */
export const shardBounds = {
  files: 8192,
  xorbs: 2048,
  terms: 131_072,
  chunks: 2_097_152,
  bytes: mostShardBytes,
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
