/** Copies a backup into an empty data directory; the hub's database comes last, and gets its name at the end. */

import { renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { catalogueFile, openStore, type Store } from '@latchkey/hub/management'
import { copyFile, refuseDamaged, sync } from './files.ts'
import { type Manifest, names } from './manifest.ts'
import { type Carried, carryObjects } from './objects.ts'

export interface Place {
  readonly data: string
  /** The file that the hub's database will be. */
  readonly file: string
}

/** Copies, not links: damage, another owner or another mode on one side must not reach the other. */
export async function copyContent(
  folder: string,
  { catalogue }: Manifest,
  { data, onProgress }: { data: string; onProgress(count: number, bytes: number): void },
): Promise<Carried> {
  if (catalogue === null) return { count: 0, bytes: 0, missing: [] }
  const copy = catalogueFile(data)
  // First: a hub does not start where there is a catalogue and no database.
  copyFile(join(folder, names.catalogue), copy)
  refuseDamaged(copy)
  const places = { catalogue: copy, from: folder, to: data, carry: copyFile, onProgress }
  return carryObjects(places)
}

/** Opens the database under another name, does the work, and names it. A restore that is cut off leaves no database. */
export async function withDatabase<Result>(
  folder: string,
  { data, file }: Place,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const draft = `${file}.restoring`
  copyFile(join(folder, names.database), draft)
  refuseDamaged(draft)
  const store = openStore({ data, database: `sqlite:${draft}` }, { create: false })
  let result: Result
  try {
    result = await work(store)
  } finally {
    // The last connection to close writes everything into the file itself.
    store.close()
  }
  sync(draft)
  renameSync(draft, file)
  for (const ending of ['-wal', '-shm']) rmSync(draft + ending, { force: true })
  sync(dirname(file))
  if (dirname(file) !== data) sync(data)
  return result
}
