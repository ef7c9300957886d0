/** The content of a storage in the folder of a backup, which is laid out as a data directory is. */

import { existsSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import {
  copyAndCheck,
  copyDatabase,
  nameDatabase,
  type RestoredFile,
  refuseOdd,
} from '@latchkey/service/backup'
import { syncPath } from '@latchkey/service/machine/files'
import {
  catalogFile,
  refuseNewerCatalog,
  restoringCatalogFile,
} from '../catalog/catalog-database.ts'
import { backUpCatalog } from '../catalog-place/copy-catalog.ts'
import type { CatalogSettings } from '../catalog-place/open-catalog.ts'
import { type CarriedContent, carryObjects } from './carry-objects.ts'
import { adoptRestored, dropIncarnation } from './restored-identity.ts'

type OnProgress = (count: number, bytes: number) => void

/** As a file, whatever its database, while others write. False where no storage has run here. */
export async function backUpCatalogue(
  { data, database }: CatalogSettings,
  folder: string,
): Promise<boolean> {
  const [from, to] = [catalogFile(data), catalogFile(folder)]
  if (database === undefined) {
    const isThere = existsSync(from)
    if (!isThere) return false
    copyDatabase(from, to)
    dropIncarnation(to)
    return true
  }
  rmSync(to, { force: true })
  await backUpCatalog(database, to)
  dropIncarnation(to)
  syncPath(to)
  return true
}

/** The objects that the catalogue of the backup names. */
export function backUpObjects(
  data: string,
  folder: string,
  onProgress: OnProgress,
): Promise<CarriedContent> {
  const catalogue = catalogFile(folder)
  return carryObjects({ catalogue, from: data, to: folder, mayShare: true, onProgress })
}

/** The name of the file; undefined where the backup has no content. */
export function catalogueIn(folder: string): string | undefined {
  const file = catalogFile(folder)
  return existsSync(file) ? basename(file) : undefined
}

/** Before anything is written: this program cannot open the backup of a newer one. */
export function refuseNewerCatalogue(folder: string): void {
  const file = catalogFile(folder)
  // The error of a file that is not there comes from opening it.
  if (existsSync(file)) refuseOdd(file)
  refuseNewerCatalog(file)
}

/** The name of the catalogue, and its name until the restore has copied all of its objects. */
export function restoredCatalogue(data: string): RestoredFile {
  return { name: catalogFile(data), draft: restoringCatalogFile(data) }
}

/** Where the objects stay in their bucket. Nobody may use them until they are adopted. */
export function restoreCatalogue(folder: string, data: string): void {
  const names = restoredCatalogue(data)
  copyAndCheck(catalogFile(folder), names.draft)
  nameDatabase(names)
}

/** Copies, not links: damage, another owner or another mode on one side must not reach the other. */
export async function restoreContent(
  folder: string,
  data: string,
  onProgress: OnProgress,
): Promise<CarriedContent> {
  const names = restoredCatalogue(data)
  copyAndCheck(catalogFile(folder), names.draft)
  const places = { catalogue: names.draft, from: folder, to: data }
  const carried = await carryObjects({ ...places, mayShare: false, onProgress })
  await adoptRestored(names.draft, data)
  nameDatabase(names)
  return carried
}
