/** The questions of the access room, answered by one SQLite connection that only reads. */

import type { DatabaseSync } from 'node:sqlite'
import { journalNumber, noJournalNumber } from '@latchkey/protocol'
import type { AccessStore, DirectoryVersion } from '../../access/access-store.ts'
import { prepareFindCaller } from './find-caller.ts'
import { prepareFindRepository } from './find-repository.ts'

export function sqliteAccess(database: DatabaseSync): AccessStore {
  const prefixes = database.prepare('SELECT prefix FROM hub_token_prefixes')
  return {
    version: prepareVersion(database),
    findCaller: prepareFindCaller(database),
    findRepository: prepareFindRepository(database),
    findPrefixes: async () => new Set(prefixes.all().map(({ prefix }) => String(prefix))),
  }
}

/**
 * The journal's last number, and the mark that triggers leave when a table is written past the journal. They are read only
 * after another connection has committed, which SQLite tells without reading a table. The order matters: a commit between
 * the two statements shows in the next data version.
 */
function prepareVersion(database: DatabaseSync): AccessStore['version'] {
  const dataVersion = database.prepare('PRAGMA data_version')
  const journalHead = database.prepare('SELECT number, mark FROM journal_head')
  let seen: unknown
  let version: DirectoryVersion = { number: noJournalNumber, mark: 0 }
  return () => {
    const current = dataVersion.get()?.['data_version']
    if (current !== seen) {
      const { number, mark } = journalHead.get() ?? {}
      version = { number: journalNumber(Number(number)), mark: Number(mark) }
      seen = current
    }
    return version
  }
}
