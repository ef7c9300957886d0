/** Is everything that a shard says true of what is stored, as far as its token can see? */

import { createReadStream } from 'node:fs'
import { isRefusal, type Refusal } from '@latchkey/protocol'
import type { Catalog, Registration } from '../catalog/catalog.ts'
import { isFlaw } from '../format/flaw.ts'
import type { Hash } from '../format/hash.ts'
import { readShard } from '../format/read-shard.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { Asked } from './asked.ts'
import { type CheckedFile, checkShardFile } from './check-shard-file.ts'
import { checkShardXorb } from './check-shard-xorb.ts'
import { contentInvalid } from './refusals.ts'
import { seenXorbs } from './seen-xorbs.ts'

export interface ShardChecking {
  readonly catalog: Catalog
  readonly objects: ObjectStore
}

/** How many parts of the shard are found to be true, of those that have been read. */
export interface Validating {
  readonly type: 'validating'
  readonly verified: number
  readonly total: number
}

/** Their rows go in together, and every other writer waits for them. */
const mostFiles = 131_072

/** Ever more rarely: who does not read what he is told must not hold the turn of another. */
function isTold(parts: number): boolean {
  return Number.isInteger(Math.log2(parts)) || parts % 16_384 === 0
}

export async function* checkShard(
  checking: ShardChecking,
  { view, signal }: Pick<Asked, 'view' | 'signal'>,
  file: string,
): AsyncGenerator<Validating, Registration | Refusal> {
  const seen = seenXorbs(checking, view, signal)
  const checked = new Map<Hash, CheckedFile>()
  let parts = 0
  for await (const part of readShard(createReadStream(file))) {
    if (isFlaw(part)) return contentInvalid(part.flaw)
    if (isTold(parts)) yield { type: 'validating', verified: parts, total: parts + 1 }
    const found = await (part.kind === 'file'
      ? checkShardFile(part, seen)
      : checkShardXorb(part, seen))
    if (isRefusal(found)) return found
    // Named more than once, it is registered once: the first way stays.
    if (found !== undefined && !checked.has(found.file.hash)) checked.set(found.file.hash, found)
    if (checked.size > mostFiles) return tooManyFiles
    parts += 1
  }
  yield { type: 'validating', verified: parts, total: parts }
  const files = [...checked.values()]
  const chunks = files.flatMap(({ firstChunk }) => firstChunk ?? [])
  return { files: files.map(({ file }) => file), chunks, xorbs: seen.all() }
}

const tooManyFiles = contentInvalid(
  `The shard registers more than ${mostFiles} files. Register its files with several shards.`,
)
