/** Where objects lie below a data directory, or in a backup of one. */

import { existsSync } from 'node:fs'
import { type ObjectPlace, objectsFolder, placeOf } from './object-places.ts'
import type { Digest } from './object-store.ts'

/** The folders that a storage fills; each may be on a disk of its own. */
export function contentFolders(data: string): readonly string[] {
  return [objectsFolder(data)]
}

export function hasObjects(data: string): boolean {
  return contentFolders(data).some((folder) => existsSync(folder))
}

export function objectPlaceIn(data: string, digest: Digest): ObjectPlace {
  return placeOf(objectsFolder(data), digest)
}
