/** Copies a backup into a data directory; each database gets its name when everything that belongs to it is there. */

import { renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openStore, restoringFile, type Store, writeKeptNumber } from '@latchkey/hub/management'
import { syncPath } from '@latchkey/service/machine/sync-path'
import { catalogFile, restoringCatalogFile } from '@latchkey/storage/upkeep'
import { copyChecked, copyFile } from './files.ts'
import type { Place } from './into-data.ts'
import { names } from './manifest.ts'
import { type Carried, carryObjects } from './objects.ts'

/** Copies, not links: damage, another owner or another mode on one side must not reach the other. */
export async function copyContent(
  folder: string,
  data: string,
  onProgress: (count: number, bytes: number) => void,
): Promise<Carried> {
  const draft = restoringCatalogFile(data)
  copyChecked(join(folder, names.catalogue), draft)
  const places = { catalogue: draft, from: folder, to: data, carry: copyFile, onProgress }
  const carried = await carryObjects(places)
  renameSync(draft, catalogFile(data))
  syncPath(data)
  return carried
}

interface Work<Result> {
  /** Entries that the work makes have numbers above this one. */
  readonly lastNumber: number
  work(store: Store): Promise<Result>
}

/** Opens the database under another name, does the work, and names it. A restore that is cut off leaves no database. */
export async function withDatabase<Result>(
  folder: string,
  { data, file }: Place,
  { lastNumber, work }: Work<Result>,
): Promise<Result> {
  const draft = restoringFile(file)
  copyChecked(join(folder, names.database), draft)
  const nowMs = () => Math.max(Date.now(), lastNumber + 1)
  const store = await openStore({ data, database: `sqlite:${draft}` }, { create: false, nowMs })
  let result: Result
  let number: number
  try {
    result = await work(store)
    number = (await store.access.version()).number
  } finally {
    // The last connection to close writes everything into the file itself.
    await store.close()
  }
  syncPath(draft)
  renameSync(draft, file)
  for (const ending of ['-wal', '-shm']) rmSync(draft + ending, { force: true })
  syncPath(dirname(file))
  if (dirname(file) !== data) syncPath(data)
  // A restore is no rollback: the hub goes on from here.
  await writeKeptNumber(data, number)
  return result
}
