/** The data directory of a hub. */

import { join } from 'node:path'
import { prepareDataDirectory as prepare } from '@latchkey/service/machine/data-directory'

const databaseName = 'latchkey.db'

/** Where the database lies in a backup, and in a data directory unless its operator says otherwise. */
export function databaseIn(folder: string): string {
  return join(folder, databaseName)
}

export function prepareDataDirectory(
  data: string,
  { create }: { create: boolean },
): readonly string[] {
  const missing =
    'Name an existing one with --data, or make one with "latchkey serve" or "latchkey apply".'
  return prepare(data, { create, missing, ownFiles: ['master.key', databaseName] })
}
