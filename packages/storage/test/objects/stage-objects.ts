/** Where a stage keeps its objects: below its data directory, or in a bucket of a store that is started for it. */

import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sharedVersitygw } from '@latchkey/testing/s3/stores'
import { objectsIn } from '../../src/index.ts'
import type { S3Place } from '../../src/objects/object-store.ts'

export interface StageObjects {
  /** Undefined where the settings say nothing of it. */
  readonly place: S3Place | undefined
  /** Keys of all objects. */
  keys(): readonly string[]
  /** The bytes of an object; on a disk with their table behind them. */
  fileOf(key: string): string
  drafts(): readonly string[]
  draftBytes(): number
  close(): Promise<void>
}

/** `LATCHKEY_TEST_OBJECTS=s3` runs the tests of a project on a bucket. */
export function openStageObjects(data: string): Promise<StageObjects> | StageObjects {
  return process.env['LATCHKEY_TEST_OBJECTS'] === 's3' ? inBucket(data) : onDisk(data)
}

function onDisk(data: string): StageObjects {
  const { folder } = objectsIn(data)
  const copies = () => filesIn(folder).filter((name) => name.endsWith('.copy'))
  return {
    place: undefined,
    ...withFolders(folder, join(folder, 'drafts')),
    drafts: () => [...filesIn(join(folder, 'drafts')), ...copies()],
    async close() {},
  }
}

async function inBucket(data: string): Promise<StageObjects> {
  const store = await sharedVersitygw()
  const scratch = join(data, 'scratch')
  const place = { ...store.newPlace(), scratch }
  return {
    place,
    ...withFolders(store.fileOf(place, 'objects'), scratch),
    drafts: () => filesIn(scratch),
    close: () => store.kill(),
  }
}

function withFolders(objects: string, drafts: string) {
  const fileOf = (key: string) => join(objects, key.slice(0, 2), key)
  return {
    fileOf,
    /** In their own folders: a draft has a name of the same form. */
    keys: () =>
      filesIn(objects).filter((name) => /^[0-9a-f]{32}$/.test(name) && existsSync(fileOf(name))),
    draftBytes: () => bytesBelow(drafts),
  }
}

function bytesBelow(folder: string): number {
  const sizes = filesIn(folder).map((name) =>
    statSync(join(folder, name), { throwIfNoEntry: false }),
  )
  return sizes.reduce((sum, stats) => sum + (stats?.size ?? 0), 0)
}

function filesIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
  } catch {
    return []
  }
}
