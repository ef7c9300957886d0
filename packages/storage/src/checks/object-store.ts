/** Whether the object store is the one of the catalogue. */

import { type Check, goodFinding, wrongByError, wrongFinding } from '@latchkey/service/checks'
import { CannotStart } from '@latchkey/service/machine/errors'
import { hasCatalog, inspectCatalog } from '../catalog/catalog-database.ts'
import { emptyStore, findMismatch, whatToDo } from '../identity/find-mismatch.ts'
import { type CatalogueFacts, readFacts } from '../identity/identity-row.ts'
import { parseMarker } from '../identity/marker.ts'
import type { StoreMarker } from '../objects/object-store.ts'
import { objectsOf, openObjects } from '../objects/open-objects.ts'
import type { StorageInstallation } from './installation.ts'

export const objectStore: Check<StorageInstallation> = {
  name: 'object store',
  async run({ storage, catalogue }) {
    if (storage === undefined) return []
    const facts = await (catalogue === undefined ? inFile(storage.data) : inPostgres(catalogue))
    // Another check reports what is wrong with the catalogue itself.
    if (facts === undefined) return []
    let marker: StoreMarker | undefined
    try {
      marker = await markerOf(storage)
    } catch (error) {
      return [wrongByError(error)]
    }
    const { namesObjects, ...sides } = facts
    if (marker === undefined) return namesObjects ? [wrongFinding(emptyStore, whatToDo)] : []
    const store = parseMarker(marker.text)
    const mismatch = findMismatch({ ...sides, store })
    if (mismatch !== undefined) return [wrongFinding(mismatch, whatToDo)]
    return [goodFinding(`it belongs to this catalogue, which used it last at ${store?.usedAt}`)]
  },
}

async function markerOf(
  storage: NonNullable<StorageInstallation['storage']>,
): Promise<StoreMarker | undefined> {
  const objects = await openObjects(objectsOf(storage))
  return objects.readMarker().finally(() => objects.close())
}

async function inFile(data: string): Promise<CatalogueFacts | undefined> {
  if (!hasCatalog(data)) return undefined
  let inspected: ReturnType<typeof inspectCatalog> | undefined
  try {
    inspected = inspectCatalog(data)
    return inspected.version === inspected.newestVersion
      ? await inspected.read(readFacts)
      : undefined
  } catch (error) {
    if (error instanceof CannotStart) return undefined
    throw error
  } finally {
    inspected?.close()
  }
}

async function inPostgres(
  ask: NonNullable<StorageInstallation['catalogue']>,
): Promise<CatalogueFacts | undefined> {
  const answer = await ask()
  if (answer.kind !== 'answers') return undefined
  const { store, schema } = answer
  const isUsable = schema.isReadable && schema.version === store.newestVersion
  return isUsable && schema.missingTables.length === 0 ? store.read(readFacts) : undefined
}
