/** The rows of a repository and of the refs that a revision can mean, for one account. */

import type { DatabaseSync } from 'node:sqlite'
import {
  type AccountId,
  formatRepoRef,
  idOfNoAccount,
  noAccountId,
  noRepositoryUid,
} from '@latchkey/protocol'
import type {
  FoundRepository,
  Looked,
  RepositoryRecord,
  RevisionNames,
  Viewer,
} from '../../access/access-store.ts'
import { prepareFindRefs } from './find-refs.ts'

/** Where the uid is null, only `isThere` means anything: the account may not see the repository, or there is none. */
type RepositoryRow = { isThere: 0 | 1 } & (VisibleRow | { uid: null })
type VisibleRow = Omit<RepositoryRecord, 'refRules' | 'fixed' | 'moving'> & { refRules: string }

/** Its refs are looked up in place of an absent or hidden repository's: no row has this uid. */
const noRepository = { uid: noRepositoryUid, defaultBranch: '' } as const

export type FindRepositoryRows = (looked: Looked, viewer: Viewer) => FoundRepository

export function prepareFindRepository(database: DatabaseSync): FindRepositoryRows {
  const findRow = prepareFindRow(database)
  const findRefs = prepareFindRefs(database)
  const inOneSnapshot = prepareSnapshot(database)

  const find = (row: RepositoryRow | undefined, names: RevisionNames): FoundRepository => {
    if (row === undefined || row.uid === null) {
      // A hidden and an absent repository take the same statements.
      findRefs(noRepository, names)
      return row?.isThere === 1 ? 'hidden' : 'absent'
    }
    const refRules = row.refRules === '[]' ? [] : JSON.parse(row.refRules)
    return { ...row, refRules, ...findRefs(row, names) }
  }
  return ({ repo, names }, { accountId }) =>
    inOneSnapshot(() => find(findRow(accountId ?? noAccountId, formatRepoRef(repo)), names))
}

/**
 * `entry` is the index entry of this path. For an absent path it is the entry of the nearest path before, or else the
 * first of all: it only takes the work of a hidden repository, and nothing of it is used. Roles are read from the indexes
 * of the account. The row itself, `visible`, is read only when the account may see it.
 */
function prepareFindRow(database: DatabaseSync) {
  const row = database.prepare(`
    SELECT entry.isThere,
           visible.uid, visible.epoch, visible.visibility,
           visible.default_branch AS defaultBranch, visible.ref_rules AS refRules,
           m.role AS memberRole, c.role AS collaboratorRole
    FROM (
      SELECT path = ?2 AS isThere, visibility, namespace_id, uid, rowid AS id
      FROM repositories INDEXED BY repository_doors
      WHERE path <= max(?2, (SELECT min(path) FROM repositories INDEXED BY repository_doors))
      ORDER BY path DESC LIMIT 1
    ) AS entry
    LEFT JOIN members AS m INDEXED BY members_by_account
      ON m.account_id = iif(entry.isThere, ?1, ?3) AND m.namespace_id = entry.namespace_id
    LEFT JOIN collaborators AS c INDEXED BY collaborators_by_account
      ON c.account_id = iif(entry.isThere, ?1, ?3) AND c.repository_uid = entry.uid
    LEFT JOIN repositories AS visible ON visible.rowid = iif((
        m.role IS NOT NULL OR c.role IS NOT NULL OR entry.visibility = 'public'
      ) AND entry.isThere, entry.id, NULL)`)
  return (accountId: AccountId, path: string) =>
    row.get(accountId, path, idOfNoAccount(accountId)) as RepositoryRow | undefined
}

/** Other processes may commit between two statements; rules and refs must be of one moment. */
function prepareSnapshot(database: DatabaseSync) {
  const begin = database.prepare('BEGIN')
  const commit = database.prepare('COMMIT')
  return <Answer>(read: () => Answer): Answer => {
    begin.run()
    try {
      return read()
    } finally {
      if (database.isTransaction) commit.run()
    }
  }
}
