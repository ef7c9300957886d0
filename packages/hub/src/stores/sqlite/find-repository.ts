/** The repository that a question names, as one account sees it, and the refs that its revision can mean. */

import type { DatabaseSync } from 'node:sqlite'
import { formatRepoRef, idOfNoAccount, noAccountId } from '@latchkey/protocol'
import type { FoundRepository, Looked, Viewer } from '../../access/access-store.ts'
import { findStatement } from './find-statement.ts'
import { type RepositoryRow, repositoryIn } from './found-repository.ts'

export type FindRepositoryRows = (looked: Looked, viewer: Viewer) => FoundRepository

export function prepareFindRepository(database: DatabaseSync): FindRepositoryRows {
  const statement = database.prepare(findStatement)
  return ({ repo, names: { commit = null, tag = null, moving = null } }, viewer) => {
    const { accountId = noAccountId } = viewer
    const branch = moving === 'default branch' ? '' : moving
    const row = statement.get(
      ...[accountId, formatRepoRef(repo), idOfNoAccount(accountId)],
      ...[commit, tag, branch],
    ) as RepositoryRow | undefined
    return row === undefined ? 'absent' : repositoryIn(row)
  }
}
