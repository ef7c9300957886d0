/** Makes reconstructions, on a thread with a connection to the catalog of its own. */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import { catalogReader } from '../catalog/catalog-reader.ts'
import { type CatalogPlace, openReader } from '../catalog-place/open-catalog.ts'
import type { ObjectsPlace } from '../objects/object-store.ts'
import { openObjects } from '../objects/open-objects.ts'
import { blobUrlsFor } from '../request/blob-url-of.ts'
import type { Work } from '../threads/work.ts'
import { makeReconstruction, type ReconstructionQuestion } from './make-reconstruction.ts'

/** The JSON of the answer, or how many terms it would have. */
export type PlanResult = { readonly json: Uint8Array<ArrayBuffer> } | { readonly terms: number }

export interface PlanData extends CatalogPlace {
  readonly objects: ObjectsPlace
  readonly casUrl: string
  /** Bytes of chunk tables that one thread may keep in memory. */
  readonly tableBytes: number
}

export async function openWork({
  objects,
  casUrl,
  tableBytes,
  ...place
}: PlanData): Promise<Work<ReconstructionQuestion, never, PlanResult | Refusal>> {
  const catalog = catalogReader(openReader(place))
  const { table } = await openObjects(objects, { tableBytes })
  const signedUrlFor = blobUrlsFor(casUrl)
  return async (question, { signal, giveAway }) => {
    const { key, bearer } = question
    const reconstructing = { catalog, table, signedUrl: signedUrlFor(key, bearer) }
    const made = await makeReconstruction(reconstructing, question, signal)
    if (isRefusal(made) || 'terms' in made) return made
    const json = new TextEncoder().encode(JSON.stringify(made.answer))
    giveAway(json.buffer)
    return { json }
  }
}
