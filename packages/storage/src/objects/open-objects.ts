/** Opens the objects of a storage, in whatever keeps them. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pooledRandom } from '@latchkey/service/machine/random'
import { diskStore } from './disk/disk-store.ts'
import type { ObjectStore, ObjectsOptions, ObjectsPlace } from './object-store.ts'

export function openObjects(place: ObjectsPlace, options: ObjectsOptions = {}): ObjectStore {
  const { randomBytes = pooledRandom(), guard = (body) => body, tableBytes } = options
  return diskStore(place.folder, { randomBytes, guard, tableBytes })
}

/** Below a data directory, or in a backup of one. */
export function objectsIn(data: string): ObjectsPlace {
  return { kind: 'disk', folder: join(data, 'objects') }
}

/** The folders that a storage fills; each may be on a disk of its own. */
export function contentFolders(data: string): readonly string[] {
  return [objectsIn(data).folder]
}

export function hasObjects(data: string): boolean {
  return contentFolders(data).some((folder) => existsSync(folder))
}
