/** The questions of the access room, answered by one SQLite connection that only reads. */

import type { DatabaseSync } from 'node:sqlite'
import type { AccessStore } from '../../access/access-store.ts'
import { prepareFindCaller } from './find-caller.ts'
import { prepareFindRepository } from './find-repository.ts'

export function sqliteAccess(database: DatabaseSync): AccessStore {
  const version = database.prepare('PRAGMA data_version')
  const prefixes = database.prepare('SELECT prefix FROM hub_token_prefixes')
  return {
    // Differs whenever another connection has committed; this connection never writes.
    version: () => Number(version.get()?.['data_version']),
    findCaller: prepareFindCaller(database),
    findRepository: prepareFindRepository(database),
    findPrefixes: async () => new Set(prefixes.all().map(({ prefix }) => String(prefix))),
  }
}
