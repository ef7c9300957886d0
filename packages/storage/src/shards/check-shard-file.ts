/** Does a file's hash follow from the stored chunks that the shard says it is made of? */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import { yieldToEventLoop } from '@latchkey/service/limits/slices'
import {
  type ChunkTable,
  fileHash,
  hashAt,
  hashLength,
  type MerkleTree,
  merkleTree,
  rangeHash,
  type ShardFile,
  sameBytes,
  type Term,
} from '@latchkey/xet/format'
import type { IndexedChunk, StoredFile } from '../catalog/catalog.ts'
import { Terms } from '../catalog/terms.ts'
import { contentInvalid } from '../request/refusals.ts'
import type { SeenXorbs } from './seen-xorbs.ts'

export interface CheckedFile {
  readonly file: StoredFile
  /** Clients ask for the first chunk of a file, to learn what they need not send. */
  readonly firstChunk: IndexedChunk | undefined
}

export async function checkShardFile(
  part: ShardFile,
  xorbs: SeenXorbs,
): Promise<CheckedFile | Refusal> {
  const unseen = await xorbs.look(Array.from(part.terms, ({ xorb }) => xorb))
  if (unseen !== undefined) return unseen
  const tree = merkleTree()
  let bytes = 0
  let firstChunk: IndexedChunk | undefined
  for (let index = 0; index < part.terms.count; index += 1) {
    const term = part.terms.at(index)
    const table = await xorbs.table(term.xorb)
    if (isRefusal(table)) return table
    const wrong = checkTerm(part, { index, term, table }) ?? xorbs.spend(term.end - term.start)
    if (wrong !== undefined) return wrong
    firstChunk ??= { hash: table.hash(term.start), xorb: term.xorb }
    await grow(tree, table, term)
    bytes += term.unpackedBytes
  }
  const hash = hashAt(fileHash(tree.root()))
  if (hash !== part.hash) return contentInvalid(`The file ${part.hash} has the hash ${hash}.`)
  const terms = Terms.of([...part.terms])
  return { file: { hash, bytes, terms, firstChunk: firstChunk?.hash }, firstChunk }
}

interface PlacedTerm {
  readonly index: number
  readonly term: Term
  readonly table: ChunkTable
}

function checkTerm(
  { hash, ranges }: ShardFile,
  { index, term, table }: PlacedTerm,
): Refusal | undefined {
  const { xorb, start, end, unpackedBytes } = term
  const place = `Term ${index} of the file ${hash}`
  if (end > table.count) {
    return contentInvalid(`${place} ends with chunk ${end} of ${xorb}, which has ${table.count}.`)
  }
  const bytes = table.unpackedBetween(start, end)
  if (bytes !== unpackedBytes) {
    return contentInvalid(`${place} has ${bytes} bytes, not ${unpackedBytes}.`)
  }
  if (ranges === undefined) {
    return contentInvalid(`The file ${hash} comes without the hashes that verify its terms.`)
  }
  const isProven = sameBytes(rangeHash(hashesOf(table, start, end)), ranges.hashBytes(index))
  return isProven ? undefined : contentInvalid(`${place} has another verification hash.`)
}

function hashesOf(table: ChunkTable, start: number, end: number): Buffer {
  const hashes = Buffer.alloc((end - start) * hashLength)
  for (let index = start; index < end; index += 1) {
    hashes.set(table.hashBytes(index), (index - start) * hashLength)
  }
  return hashes
}

/** About a millisecond of work, after which the thread yields to other shards and hears of an abort. */
const chunksAtOnce = 1024

async function grow(tree: MerkleTree, table: ChunkTable, { start, end }: Term): Promise<void> {
  for (let index = start; index < end; index += 1) {
    tree.add(table.hashBytes(index), table.unpackedLength(index))
    const isDone = index + 1 === end
    if (isDone || (index - start) % chunksAtOnce === chunksAtOnce - 1) await yieldToEventLoop()
  }
}
