/** Is everything that a shard says true of what is stored, as far as its token can see? */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import { yieldToEventLoop } from '@latchkey/service/limits/slices'
import {
  type Hash,
  isFormatError,
  maxShardBytes,
  readShard,
  type ShardFile,
  type ShardXorb,
  sameBytes,
} from '@latchkey/xet/format'
import type { ShardCaps } from '../bounds/shard-caps.ts'
import type { CatalogReader, Registration, View } from '../catalog/catalog.ts'
import type { DraftId, ObjectStore } from '../objects/object-store.ts'
import { contentInvalid, shardTooLarge } from '../request/refusals.ts'
import { type CheckedFile, checkShardFile } from './check-shard-file.ts'
import { type SeenXorbs, seenXorbs } from './seen-xorbs.ts'

export interface ShardChecking {
  readonly catalog: Pick<CatalogReader, 'findXorbs'>
  readonly objects: Pick<ObjectStore, 'sizeOf' | 'table' | 'readDraft'>
  readonly caps: ShardCaps
  /** Terms of one file; the caps may be lower. */
  readonly maxTerms: number
}

/** How many parts of the shard are found to be true, of those that have been read. */
export interface Validating {
  readonly type: 'validating'
  readonly verified: number
  readonly total: number
}

/** The registration of a checked shard. */
export interface CheckedShard extends Registration {
  /** The files of which it says a SHA-256: not believed, and a reason to compute it. */
  readonly claimed: readonly Hash[]
}

/** How many parts are checked before the thread yields; those with many chunks yield more often. */
const partsAtOnce = 256

/** Ever more rarely: what a client does not read waits in memory. */
function isTold(parts: number): boolean {
  return Number.isInteger(Math.log2(parts)) || parts % 16_384 === 0
}

export async function* checkShard(
  checking: ShardChecking,
  { view, signal }: { readonly view: View; readonly signal: AbortSignal },
  draft: DraftId,
): AsyncGenerator<Validating, CheckedShard | Refusal> {
  const { caps } = checking
  const xorbs = seenXorbs(checking, view, signal)
  const checked = new Map<Hash, CheckedFile>()
  const claimed = new Set<Hash>()
  const tooMany = partCounter(caps)
  let parts = 0
  const limits = { bytes: maxShardBytes, terms: checking.maxTerms }
  for await (const part of readShard(checking.objects.readDraft(draft), limits)) {
    if (isFormatError(part)) return contentInvalid(part.flaw)
    if (isTold(parts)) yield { type: 'validating', verified: parts, total: parts + 1 }
    if (parts % partsAtOnce === 0) await yieldToEventLoop(signal)
    const found = tooMany(part) ?? (await checkPart(part, xorbs))
    if (isRefusal(found)) return found
    // Named more than once, it is registered once: the first way stays.
    if (found !== undefined && !checked.has(found.file.hash)) checked.set(found.file.hash, found)
    if (part.kind === 'file' && part.sha256 !== undefined) claimed.add(part.hash)
    parts += 1
  }
  yield { type: 'validating', verified: parts, total: parts }
  const files = [...checked.values()]
  const chunks = files.flatMap(({ firstChunk }) => firstChunk ?? [])
  return {
    files: files.map(({ file }) => file),
    ...{ chunks, xorbs: xorbs.all(), claimed: [...claimed] },
  }
}

/** Counts a part that comes again as well: each has to be checked. */
function partCounter(caps: ShardCaps): (part: ShardFile | ShardXorb) => Refusal | undefined {
  let [files, xorbs, terms] = [0, 0, 0]
  return (part) => {
    if (part.kind === 'file') {
      files += 1
      terms += part.terms.count
    } else xorbs += 1
    if (files > caps.files) return shardTooLarge('files', caps.files, 'storage.shardFiles')
    if (xorbs > caps.xorbs) return shardTooLarge('xorbs', caps.xorbs)
    return terms > caps.terms ? shardTooLarge('runs of chunks', caps.terms) : undefined
  }
}

function checkPart(
  part: ShardFile | ShardXorb,
  xorbs: SeenXorbs,
): Promise<CheckedFile | Refusal | undefined> {
  return part.kind === 'file' ? checkShardFile(part, xorbs) : checkShardXorb(part, xorbs)
}

/** Does a xorb have the chunks that the shard says it has? */
async function checkShardXorb(
  { hash, chunks }: ShardXorb,
  xorbs: SeenXorbs,
): Promise<Refusal | undefined> {
  // Each chunk here takes bytes of the shard itself, whose length is bounded.
  const refused = await xorbs.look([hash])
  if (refused !== undefined) return refused
  const table = await xorbs.table(hash)
  if (isRefusal(table)) return table
  if (table.count !== chunks.count) {
    return contentInvalid(`The xorb ${hash} has ${table.count} chunks, not ${chunks.count}.`)
  }
  for (let index = 0; index < table.count; index += 1) {
    const isSame =
      sameBytes(table.hashBytes(index), chunks.hashBytes(index)) &&
      table.unpackedLength(index) === chunks.unpackedLength(index)
    if (!isSame) return contentInvalid(`Chunk ${index} of the xorb ${hash} is another one.`)
  }
  return undefined
}
