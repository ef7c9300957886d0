/** The questions of the access room, answered by one SQLite connection that only reads. */

import type { DatabaseSync } from 'node:sqlite'
import { journalNumber, noJournalNumber } from '@latchkey/protocol'
import type { AccessStore, DirectoryVersion } from '../../access/access-store.ts'
import { isFresh, type Moments, type Staleness } from '../../access/moment.ts'
import { defaultStaleness } from '../default-staleness.ts'
import { prepareFindCaller } from './find-caller.ts'
import { prepareFindRepository } from './find-repository.ts'

export function sqliteAccess(
  database: DatabaseSync,
  staleness: Staleness = defaultStaleness,
): AccessStore {
  const prefixes = database.prepare('SELECT prefix FROM hub_token_prefixes')
  const findCaller = prepareFindCaller(database)
  const findRepository = prepareFindRepository(database)
  return {
    isExact: true,
    version: prepareVersion(database, staleness.now),
    isFresh: (learned) => isFresh(learned, staleness),
    untilBack: (work) => work(),
    find({ hubTokenHash, about, viewerOf }) {
      const caller = hubTokenHash === undefined ? undefined : findCaller(hubTokenHash)
      const viewer = viewerOf(caller)
      return { caller, repository: about && viewer && findRepository(about, viewer) }
    },
    findPrefixes: async () => new Set(prefixes.all().map(({ prefix }) => String(prefix))),
  }
}

/**
 * The journal's last number, and the mark that triggers leave when a table is written past the journal. They are read only
 * after another connection has committed, which SQLite tells without reading a table. The order matters: a commit between
 * the two statements shows in the next data version.
 */
function prepareVersion(database: DatabaseSync, now: Moments): () => DirectoryVersion {
  const dataVersion = database.prepare('PRAGMA data_version')
  const journalHead = database.prepare('SELECT number, mark FROM journal_head')
  let seen: unknown
  let version = { number: noJournalNumber, mark: 0 }
  return () => {
    const learned = now()
    const current = dataVersion.get()?.['data_version']
    if (current !== seen) {
      const { number, mark } = journalHead.get() ?? {}
      version = { number: journalNumber(Number(number)), mark: Number(mark) }
      seen = current
    }
    return { ...version, learned }
  }
}
