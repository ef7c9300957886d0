/** Opens the store that the settings name, in a data directory that is fit for it. */

import { isAbsolute, join } from 'node:path'
import { CannotStart } from '../operations/cannot-start.ts'
import { openSqliteStore } from '../stores/sqlite/open-store.ts'
import type { Store } from '../stores/store.ts'
import { prepareDataDirectory } from './data-directory.ts'

/** Where the data are, as the settings say it. */
export interface DataPlace {
  readonly data: string
  /** `sqlite:FILE`; a relative file lies in the data directory. */
  readonly database: string
}

export interface OpenStoreOptions {
  /** Make the data directory and the database where there are none. */
  readonly create: boolean
  readonly busyTimeoutMs?: number
}

export function openStore(
  { data, database }: DataPlace,
  { create, ...options }: OpenStoreOptions,
): Store {
  prepareDataDirectory(data, { create })
  return openSqliteStore(sqliteFile(data, database), options)
}

function sqliteFile(data: string, database: string): string {
  const [, file] = /^sqlite:(.+)$/.exec(database) ?? []
  if (file === undefined) {
    throw new CannotStart(
      'the database must be given as sqlite:FILE; this version supports no other kind.',
    )
  }
  return isAbsolute(file) ? file : join(data, file)
}
