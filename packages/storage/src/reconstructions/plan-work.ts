/** Makes reconstructions, on a thread with a connection to the catalog of its own. */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import { catalogReader } from '../catalog/catalog-reader.ts'
import { type CatalogPlace, openReader } from '../catalog-place/open-catalog.ts'
import type { ObjectReader, ObjectsPlace } from '../objects/object-store.ts'
import { openObjects } from '../objects/open-objects.ts'
import type { Work } from '../threads/work.ts'
import { fetchUrlsOf } from './fetch-urls.ts'
import { makeReconstruction, type ReconstructionQuestion } from './make-reconstruction.ts'

/** The JSON of the answer, or how many terms it would have. */
export type PlanResult = { readonly json: Uint8Array<ArrayBuffer> } | { readonly terms: number }

export interface PlanData extends CatalogPlace {
  readonly objects: ObjectsPlace
  readonly casUrl: string
  /** Whether clients fetch content from the store itself where they can; left out: no. */
  readonly directDownloads?: boolean | undefined
  /** Bytes of chunk tables that one thread may keep in memory. */
  readonly tableBytes: number
}

export async function openWork({
  objects,
  casUrl,
  directDownloads = false,
  tableBytes,
  ...place
}: PlanData): Promise<Work<ReconstructionQuestion, never, PlanResult | Refusal>> {
  const catalog = catalogReader(openReader(place))
  const store: ObjectReader = await openObjects(objects, { tableBytes })
  const fetchUrls = fetchUrlsOf(directDownloads ? store : {}, casUrl)
  return async (question, { signal, giveAway }) => {
    const reconstructing = { catalog, table: store.table, urlOf: await fetchUrls(question) }
    const made = await makeReconstruction(reconstructing, question, signal)
    if (isRefusal(made) || 'terms' in made) return made
    const json = new TextEncoder().encode(JSON.stringify(made.answer))
    giveAway(json.buffer)
    return { json }
  }
}
