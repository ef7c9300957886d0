/** Whether a storage has run on a data directory. */

import { hasCatalog } from '../catalog/catalog-database.ts'
import { hasObjects } from '../objects/open-objects.ts'

/** Where the catalogue is in PostgreSQL, only the objects lie there. */
export function hasContent(
  data: string,
  { isCatalogInFile }: { readonly isCatalogInFile: boolean },
): boolean {
  return isCatalogInFile ? hasCatalog(data) : hasObjects(data)
}
