/** Opens the objects of a storage, in whatever keeps them. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pooledRandom } from '@latchkey/service/machine/random'
import { diskStore } from './disk/disk-store.ts'
import type {
  DiskPlace,
  ObjectStore,
  ObjectsOptions,
  ObjectsPlace,
  OpenOptions,
} from './object-store.ts'

export async function openObjects(
  place: ObjectsPlace,
  options: ObjectsOptions = {},
): Promise<ObjectStore> {
  if (place.kind === 'disk') return diskObjects(place, options)
  // Threads of a storage on a disk pay for all that they load with each collection of garbage.
  const { s3Store } = await import('./s3/s3-store.ts')
  return s3Store(place, withDefaults(options))
}

export function diskObjects({ folder }: DiskPlace, options: ObjectsOptions = {}): ObjectStore {
  return diskStore(folder, withDefaults(options))
}

function withDefaults(options: ObjectsOptions): OpenOptions {
  const { randomBytes = pooledRandom(), guard = (body) => body, tableBytes } = options
  return { randomBytes, guard, tableBytes, openSource: openObjects }
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
