/** The data directory of a hub. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { prepareDataDirectory as prepare } from '@latchkey/service/machine/data-directory'
import { masterKeyFile } from '../keys/master-key.ts'

const databaseName = 'latchkey.db'

/** Where the database lies in a backup, and in a data directory unless its operator says otherwise. */
export function databaseIn(folder: string): string {
  return join(folder, databaseName)
}

/** The name of the database until a restore has finished it: there from the restore's first step to its last. */
export function restoringFile(file: string): string {
  return `${file}.restoring`
}

/** Whether a hub has run on this data directory, or is being restored there. */
export function isHubData(data: string): boolean {
  const database = databaseIn(data)
  return [database, restoringFile(database), masterKeyFile(data)].some((file) => existsSync(file))
}

export function prepareDataDirectory(
  data: string,
  { create }: { create: boolean },
): readonly string[] {
  const missing =
    'Name an existing one with --data, or make one with "latchkey serve" or "latchkey apply".'
  return prepare(data, { create, missing, ownFiles: ['master.key', databaseName] })
}
