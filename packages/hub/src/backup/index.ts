/** A hub's part of a backup: what to copy, and how it comes back. */

import { existsSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { makeFileAnew, refuseOdd } from '@latchkey/service/backup'
import { syncPath } from '@latchkey/service/machine/files'
import { databaseIn } from '../data/data-directory.ts'
import { findHead } from '../journal/read-journal.ts'
import { openJournal } from '../stores/sqlite/open-store.ts'
import type { Store } from '../stores/store.ts'
import type { Reading } from '../tables/directory.ts'

export { databaseIn } from '../data/data-directory.ts'
export { masterKeyFile } from '../keys/master-key.ts'
export type { RepeatedEntry } from '../restore/repeat-narrowing.ts'
export {
  type HubRestore,
  type RestoreDeps,
  type RestoredHub,
  restoredDatabase,
  restoreHub,
  type Usable,
} from '../restore/restore-hub.ts'
export { type OpenJournal, openJournal } from '../stores/sqlite/open-store.ts'

/** While others read and write. A copy that is there is replaced. */
export async function backUpHub(store: Pick<Store, 'backup'>, folder: string): Promise<void> {
  const file = databaseIn(folder)
  makeFileAnew(file)
  await store.backup(file)
  syncPath(file)
}

export interface HubInBackup {
  /** The name of the file. */
  readonly database: string
  /** The number of the journal's last entry. */
  readonly journal: number
}

/** Undefined where the backup has no hub. */
export async function hubIn(folder: string): Promise<HubInBackup | undefined> {
  const file = databaseIn(folder)
  if (!existsSync(file)) return undefined
  const { number } = await readIn(file, findHead)
  return { database: basename(file), journal: number }
}

/** The uids of the repositories that the directory of the backup has. */
export function repositoryUidsIn(folder: string): Promise<ReadonlySet<string>> {
  return readIn(databaseIn(folder), async (tables) => {
    const rows = await tables.selectFrom('repositories').select('uid').execute()
    return new Set(rows.map(({ uid }) => uid))
  })
}

async function readIn<Result>(
  file: string,
  work: (tables: Reading) => Promise<Result>,
): Promise<Result> {
  const { tables, close } = openJournal(file)
  try {
    return await work(tables)
  } finally {
    close()
  }
}

/** Before anything is written: this program cannot open the backup of a newer one. */
export function refuseNewerHub(folder: string): void {
  const file = databaseIn(folder)
  // The error of a file that is not there comes from opening it.
  if (existsSync(file)) refuseOdd(file)
  openJournal(file).close()
}

/** The database of a lost hub, by its data directory or by the file itself. */
export function lostDatabase(place: string): string {
  const isFolder = statSync(place, { throwIfNoEntry: false })?.isDirectory() === true
  return resolve(isFolder ? databaseIn(place) : place)
}
