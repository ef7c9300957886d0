/** Computes SHA-256s of stored files, on a thread with a connection to the catalog of its own. */

import type { RepositoryUid } from '@latchkey/protocol'
import type { CatalogReader, FileOfRef } from '../catalog/catalog.ts'
import { catalogReader } from '../catalog/catalog-reader.ts'
import type { Sha256 } from '../catalog/sha256.ts'
import { type CatalogPlace, openReader } from '../catalog-place/open-catalog.ts'
import type { ObjectsPlace } from '../objects/object-store.ts'
import { openObjects } from '../objects/open-objects.ts'
import { isAway } from '../request/refusals.ts'
import type { Work } from '../threads/work.ts'
import { type HashingContent, hashContent } from './hash-content.ts'

export interface Sha256Task {
  readonly repositoryUid: RepositoryUid
  readonly files: readonly FileOfRef[]
}

/** The outcome for a file; without hash and error, the ref does not have the file any more. */
export interface Sha256Outcome extends FileOfRef {
  readonly sha256?: Sha256
  /** Why it cannot be computed. */
  readonly damage?: string
}

export interface Sha256Data extends CatalogPlace {
  readonly objects: ObjectsPlace
  /** Bytes of chunk tables that one thread may keep in memory. */
  readonly tableBytes: number
}

export async function openWork({
  objects,
  tableBytes,
  ...place
}: Sha256Data): Promise<Work<Sha256Task, never, readonly Sha256Outcome[]>> {
  const catalog = catalogReader(openReader(place))
  const { table, read } = await openObjects(objects, { tableBytes })
  const hashing = { catalog, table, read }
  return async ({ repositoryUid, files }, { signal }) => {
    const outcomes: Sha256Outcome[] = []
    for (const file of files) {
      outcomes.push({ ...file, ...(await hashOne(hashing, { repositoryUid, ...file }, signal)) })
    }
    return outcomes
  }
}

async function hashOne(
  hashing: HashingContent & { readonly catalog: Pick<CatalogReader, 'findFile'> },
  { repositoryUid, refUid, hash }: FileOfRef & Pick<Sha256Task, 'repositoryUid'>,
  signal: AbortSignal,
): Promise<Pick<Sha256Outcome, 'sha256' | 'damage'>> {
  const view = { repositoryUid, refs: [{ uid: refUid, before: undefined }] }
  const file = await hashing.catalog.findFile(view, hash)
  if (file === undefined) return {}
  try {
    return { sha256: file.sha256 ?? (await hashContent(hashing, file, signal)) }
  } catch (error) {
    signal.throwIfAborted()
    // The file is as good as lost, and the next one can still be read.
    if (isAway(error) || !(error instanceof Error)) throw error
    return { damage: error.message }
  }
}
