/** `GET /v1/reconstructions/{hash}` and `/v2/…`: what a file is made of, and URLs to fetch it with. */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import type { Catalog, OwnedFile } from '../catalog/catalog.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { type Asked, type Handle, jsonReply } from './asked.ts'
import type { BlobUrlOf } from './blob-url-of.ts'
import { parseByteRange } from './byte-range.ts'
import {
  type ChunkRun,
  type Plan,
  planFetches,
  type TableOf,
  type Touched,
  touchedBy,
} from './plan-fetches.ts'
import { type Held, makeInSlot, type ReconstructionSlots } from './reconstruction-slots.ts'
import { badRange, beyondTheEnd, inTooManyPieces, notHere } from './refusals.ts'
import { yieldTo } from './yield-to.ts'

export interface Reconstructing {
  readonly catalog: Catalog
  readonly objects: ObjectStore
  readonly blobUrlOf: BlobUrlOf
  readonly slots: ReconstructionSlots
}

/** Of one answer: what is in more pieces is asked for range by range. */
export const mostTerms = 16_384

/** How many URLs are signed before other requests are served. */
const urlsAtOnce = 256

/** One run of chunks, where its bytes are, and the URL that opens them. */
export interface Fetch {
  readonly chunks: ChunkRun
  readonly bytes: { readonly start: number; readonly end: number }
  readonly url: string
}

export interface Reconstruction {
  readonly plan: Plan
  readonly fetches: ReadonlyMap<Hash, readonly Fetch[]>
}

export function reconstructV1(reconstructing: Reconstructing): Handle {
  return async (asked, hash) => {
    const found = await reconstruct(reconstructing, asked, hash)
    if (isRefusal(found)) return found
    const { plan, fetches } = found.made
    const reply = jsonReply({
      offset_into_first_range: plan.offsetIntoFirst,
      terms: termsJson(plan),
      fetch_info: fetchInfoJson(fetches),
    })
    return { ...reply, whenSent: found.release }
  }
}

export function reconstructV2(reconstructing: Reconstructing): Handle {
  return async (asked, hash) => {
    const found = await reconstruct(reconstructing, asked, hash)
    if (isRefusal(found)) return found
    const { plan, fetches } = found.made
    // A URL for every run: no client needs to read an answer in several parts.
    const xorbs = Array.from(fetches, ([xorb, own]) => [
      xorb,
      own.map(({ url, chunks, bytes }) => ({ url, ranges: [{ chunks, bytes }] })),
    ])
    const reply = jsonReply({
      offset_into_first_range: plan.offsetIntoFirst,
      terms: termsJson(plan),
      xorbs: Object.fromEntries(xorbs),
    })
    return { ...reply, whenSent: found.release }
  }
}

function reconstruct(
  reconstructing: Reconstructing,
  asked: Asked,
  hash: Hash,
): Promise<Held<Reconstruction> | Refusal> {
  return makeInSlot(reconstructing.slots, asked, {
    find: () => findWanted(reconstructing, asked, hash),
    make: (wanted) => reconstructFile(reconstructing, asked, wanted),
  })
}

async function findWanted(
  { catalog }: Reconstructing,
  asked: Asked,
  hash: Hash,
): Promise<(Wanted & { readonly terms: number }) | Refusal> {
  const range = parseByteRange(asked.range)
  if (range === 'invalid') return badRange
  const file = await catalog.findFile(asked.view, hash)
  if (file === undefined) return notHere('file', hash)
  if (range !== undefined && range.start >= file.bytes) return beyondTheEnd(file.bytes)
  const touched = touchedBy(file.terms, range, mostTerms)
  const terms = touched.length
  return terms > mostTerms ? inTooManyPieces : { file, touched, terms }
}

export interface Wanted {
  readonly file: OwnedFile
  /** Of its terms those that are asked for. */
  readonly touched: readonly Touched[]
}

export async function reconstructFile(
  { catalog, objects, blobUrlOf }: Reconstructing,
  { grant, signal }: Asked,
  { file, touched }: Wanted,
): Promise<Reconstruction> {
  const open = async (hashes: readonly Hash[]): Promise<TableOf> => {
    const xorbs = await catalog.xorbsOf(file, hashes)
    return async (hash) => {
      const xorb = xorbs.get(hash)
      // Files and their xorbs come and go in one transaction.
      if (xorb === undefined) throw new Error(`the xorb ${hash} of the file ${file.hash} is gone`)
      return objects.table(xorb.digest)
    }
  }
  const { plan, tableOf } = await planFetches(touched, open)
  const fetches = new Map<Hash, readonly Fetch[]>()
  for (const [xorb, runs] of plan.fetches) {
    const table = await tableOf(xorb)
    const own: Fetch[] = []
    for (const chunks of runs) {
      if (own.length % urlsAtOnce === 0) await yieldTo(signal)
      const bytes = {
        start: table.packedStart(chunks.start),
        end: table.packedEnd(chunks.end - 1) - 1,
      }
      own.push({ chunks, bytes, url: blobUrlOf(grant, file.refUid, xorb, bytes) })
    }
    fetches.set(xorb, own)
  }
  return { plan, fetches }
}

export function termsJson({ terms }: Plan): unknown {
  return terms.map(({ xorb, start, end, unpackedBytes }) => ({
    hash: xorb,
    unpacked_length: unpackedBytes,
    range: { start, end },
  }))
}

export function fetchInfoJson(fetches: ReadonlyMap<Hash, readonly Fetch[]>): unknown {
  const entries = Array.from(fetches, ([xorb, own]) => [
    xorb,
    own.map(({ url, chunks, bytes }) => ({ range: chunks, url, url_range: bytes })),
  ])
  return Object.fromEntries(entries)
}
