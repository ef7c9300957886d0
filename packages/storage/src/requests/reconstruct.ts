/** `GET /v1/reconstructions/{hash}` and `/v2/…`: what a file is made of, and URLs to fetch it with. */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import type { Catalog, OwnedFile } from '../catalog/catalog.ts'
import type { Hash } from '../format/hash.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { type Asked, type Handle, jsonReply } from './asked.ts'
import type { BlobUrlOf } from './blob-url-of.ts'
import { type ByteRange, parseByteRange } from './byte-range.ts'
import { type ChunkRun, type Plan, planFetches, type TableOf } from './plan-fetches.ts'
import { badRange, beyondTheEnd, notHere } from './refusals.ts'

export interface Reconstructing {
  readonly catalog: Catalog
  readonly objects: ObjectStore
  readonly blobUrlOf: BlobUrlOf
}

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
    const { plan, fetches } = found
    return jsonReply({
      offset_into_first_range: plan.offsetIntoFirst,
      terms: termsJson(plan),
      fetch_info: fetchInfoJson(fetches),
    })
  }
}

export function reconstructV2(reconstructing: Reconstructing): Handle {
  return async (asked, hash) => {
    const found = await reconstruct(reconstructing, asked, hash)
    if (isRefusal(found)) return found
    const { plan, fetches } = found
    // A URL for every run: no client needs to read an answer in several parts.
    const xorbs = Array.from(fetches, ([xorb, own]) => [
      xorb,
      own.map(({ url, chunks, bytes }) => ({ url, ranges: [{ chunks, bytes }] })),
    ])
    return jsonReply({
      offset_into_first_range: plan.offsetIntoFirst,
      terms: termsJson(plan),
      xorbs: Object.fromEntries(xorbs),
    })
  }
}

async function reconstruct(
  reconstructing: Reconstructing,
  asked: Asked,
  hash: Hash,
): Promise<Reconstruction | Refusal> {
  const range = parseByteRange(asked.range)
  if (range === 'invalid') return badRange
  const file = await reconstructing.catalog.findFile(asked.view, hash)
  if (file === undefined) return notHere('file', hash)
  if (range !== undefined && range.start >= file.bytes) return beyondTheEnd(file.bytes)
  return reconstructFile(reconstructing, asked, file, range)
}

export async function reconstructFile(
  { catalog, objects, blobUrlOf }: Reconstructing,
  asked: Asked,
  file: OwnedFile,
  range: ByteRange | undefined,
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
  const { plan, tableOf } = await planFetches(file.terms, range, open)
  const fetches = new Map<Hash, readonly Fetch[]>()
  for (const [xorb, runs] of plan.fetches) {
    const table = await tableOf(xorb)
    const fetchOf = (chunks: ChunkRun): Fetch => {
      const bytes = {
        start: table.packedStart(chunks.start),
        end: table.packedEnd(chunks.end - 1) - 1,
      }
      return { chunks, bytes, url: blobUrlOf(asked.grant, file.refUid, xorb, bytes) }
    }
    fetches.set(xorb, runs.map(fetchOf))
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
