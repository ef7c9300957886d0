/** Lists the parts of a found file, with URLs to fetch them. */

import { yieldToEventLoop } from '@latchkey/service/limits/slices'
import type { ChunkTable, Hash } from '@latchkey/xet/format'
import type { CatalogReader, FoundXorb, OwnedFile } from '../catalog/catalog.ts'
import type { ObjectKey } from '../objects/object-store.ts'
import type { FetchUrl } from './fetch-urls.ts'
import {
  type ChunkRun,
  type FetchPlan,
  planFetches,
  type TableOf,
  type TouchedXorb,
} from './plan-fetches.ts'

export interface Reconstructing {
  readonly catalog: Pick<CatalogReader, 'findFile' | 'xorbsOf'>
  table(key: ObjectKey): Promise<ChunkTable>
  readonly urlOf: FetchUrl
}

/** A file, and those of its terms that are asked for. */
export interface WantedFile {
  readonly file: OwnedFile
  readonly touched: readonly TouchedXorb[]
}

/** One run of chunks, where its bytes are, and the URL that opens them. */
export interface Fetch {
  readonly chunks: ChunkRun
  readonly bytes: { readonly start: number; readonly end: number }
  readonly url: string
}

export interface Reconstruction {
  readonly file: Hash
  readonly plan: FetchPlan
  readonly fetches: ReadonlyMap<Hash, readonly Fetch[]>
}

/** How many URLs are signed before the thread yields. */
const urlsAtOnce = 256

export async function reconstructFile(
  { catalog, table: tableIn, urlOf }: Reconstructing,
  { file, touched }: WantedFile,
  signal: AbortSignal,
): Promise<Reconstruction> {
  let xorbs: ReadonlyMap<Hash, FoundXorb> = new Map()
  const found = (hash: Hash) => {
    const xorb = xorbs.get(hash)
    // Files and their xorbs come and go in one transaction.
    if (xorb === undefined) throw new Error(`the xorb ${hash} of the file ${file.hash} is gone`)
    return xorb
  }
  const open = async (hashes: readonly Hash[]): Promise<TableOf> => {
    xorbs = await catalog.xorbsOf(file, hashes)
    return async (hash) => tableIn(found(hash).key)
  }
  const { plan, tableOf } = await planFetches(touched, open)
  const fetches = new Map<Hash, readonly Fetch[]>()
  for (const [xorb, runs] of plan.fetches) {
    const table = await tableOf(xorb)
    const own: Fetch[] = []
    for (const chunks of runs) {
      if (own.length % urlsAtOnce === 0) await yieldToEventLoop(signal)
      const bytes = {
        start: table.packedStart(chunks.start),
        end: table.packedEnd(chunks.end - 1) - 1,
      }
      own.push({ chunks, bytes, url: urlOf(found(xorb), { from: file.refUid, xorb, ...bytes }) })
    }
    fetches.set(xorb, own)
  }
  return { file: file.hash, plan, fetches }
}
