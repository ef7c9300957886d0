/**
 * Makes the registration of a shard whose files are stored already: the files as they were found,
 * their xorbs and first chunks.
 */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { yieldToEventLoop } from '@latchkey/service/limits/slices'
import type { Hash } from '@latchkey/xet/format'
import type { ShardCaps } from '../bounds/shard-caps.ts'
import type {
  CatalogReader,
  OwnedFile,
  OwnedXorb,
  Place,
  Registration,
  View,
} from '../catalog/catalog.ts'
import { emptyFile } from '../files/empty-file.ts'
import { notHere } from '../request/refusals.ts'

export interface Adoptable {
  readonly catalog: Pick<CatalogReader, 'findFile' | 'xorbsOf'>
  /** One request adopts files in one transaction, as a shard does. */
  readonly shardCaps: Pick<ShardCaps, 'xorbs' | 'terms'>
}

export interface WantedRegistration {
  readonly files: readonly Hash[]
  readonly view: View
  readonly place: Place
  readonly signal: AbortSignal
}

/** How many files are looked up, or terms read, before other requests are served. */
const filesAtOnce = 16
const termsAtOnce = 4096

/** Refuses with the first file that is not in view. */
export async function registrationOf(
  adoptable: Adoptable,
  request: WantedRegistration,
): Promise<Registration | Refusal> {
  const files = await findAll(adoptable, request)
  if (isRefusal(files)) return files
  const xorbs = await findXorbs(adoptable, files, request.signal)
  if (isRefusal(xorbs)) return xorbs
  const chunks = files.flatMap(({ firstChunk, terms }) =>
    firstChunk === undefined ? [] : [{ hash: firstChunk, xorb: terms.at(0).xorb }],
  )
  return { files, xorbs, chunks }
}

async function findAll(
  { catalog, shardCaps }: Adoptable,
  { files, view, place, signal }: WantedRegistration,
): Promise<readonly OwnedFile[] | Refusal> {
  const found: OwnedFile[] = []
  let terms = 0
  for (const [index, hash] of files.entries()) {
    if (index % filesAtOnce === filesAtOnce - 1) await yieldToEventLoop(signal)
    const isEmpty = hash === emptyFile.hash
    const file = isEmpty
      ? { ...emptyFile, refUid: place.refUid }
      : await catalog.findFile(view, hash)
    if (file === undefined) return notHere('file', hash)
    terms += file.terms.count
    if (terms > shardCaps.terms) return tooMuch('runs of chunks', shardCaps.terms)
    found.push(file)
  }
  return found
}

/** Each from the ref where its file was found. */
async function findXorbs(
  { catalog, shardCaps }: Adoptable,
  files: readonly OwnedFile[],
  signal: AbortSignal,
): Promise<readonly OwnedXorb[] | Refusal> {
  const xorbs = new Map<Hash, OwnedXorb>()
  for (const [refUid, own] of Map.groupBy(files, (file) => file.refUid)) {
    const usedBy = await xorbsUsed(own, signal)
    const missing = [...usedBy.keys()].filter((hash) => !xorbs.has(hash))
    if (xorbs.size + missing.length > shardCaps.xorbs) return tooMuch('xorbs', shardCaps.xorbs)
    const found = await catalog.xorbsOf({ refUid }, missing)
    // Files and their xorbs come and go in one transaction: such a file has just gone.
    const gone = missing.find((hash) => !found.has(hash))
    const file = gone && usedBy.get(gone)
    if (file !== undefined) return notHere('file', file)
    for (const [hash, xorb] of found) xorbs.set(hash, xorb)
  }
  return [...xorbs.values()]
}

/** Each with a file that is made of it. */
async function xorbsUsed(
  files: readonly OwnedFile[],
  signal: AbortSignal,
): Promise<ReadonlyMap<Hash, Hash>> {
  const used = new Map<Hash, Hash>()
  let read = 0
  for (const { hash, terms } of files) {
    for (const { xorb } of terms) {
      used.set(xorb, hash)
      read += 1
      if (read % termsAtOnce === 0) await yieldToEventLoop(signal)
    }
  }
  return used
}

function tooMuch(what: string, most: number): Refusal {
  return refuse(
    'content_invalid',
    `The files have more ${what} than the ${most} that one request may register, and nothing was adopted. Name fewer files at a time.`,
  )
}
