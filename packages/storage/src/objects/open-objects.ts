/** Opens the objects of a storage, in whatever keeps them. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CannotStart } from '@latchkey/service/machine/errors'
import { pooledRandom } from '@latchkey/service/machine/random'
import { diskStore } from './disk/disk-store.ts'
import type { DiskPlace, ObjectStore, ObjectsOptions, ObjectsPlace } from './object-store.ts'

export async function openObjects(
  place: ObjectsPlace,
  options: ObjectsOptions = {},
): Promise<ObjectStore> {
  if (place.kind === 's3') throw new CannotStart('objects in S3 are not supported yet')
  return diskObjects(place, options)
}

export function diskObjects({ folder }: DiskPlace, options: ObjectsOptions = {}): ObjectStore {
  const { randomBytes = pooledRandom(), guard = (body) => body, tableBytes } = options
  return diskStore(folder, { randomBytes, guard, tableBytes })
}

/** Where the objects of a storage are: below its data directory, unless the settings name another place. */
export function objectsOf({
  data,
  objects,
}: {
  readonly data: string
  readonly objects?: ObjectsPlace | undefined
}): ObjectsPlace {
  return objects ?? objectsIn(data)
}

/** Below a data directory, or in a backup of one. */
export function objectsIn(data: string): DiskPlace {
  return { kind: 'disk', folder: join(data, 'objects') }
}

/** The folders that a storage fills; each may be on a disk of its own. */
export function contentFolders(data: string): readonly string[] {
  return [objectsIn(data).folder]
}

export function hasObjects(data: string): boolean {
  return contentFolders(data).some((folder) => existsSync(folder))
}
