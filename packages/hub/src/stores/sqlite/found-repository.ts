/** The row of a repository and of the refs that a revision can mean, as SQLite has it: lists are JSON as text. */

import type { CommitHash, RefName, RefUid, RepositoryUid, Role } from '@latchkey/protocol'
import type { FixedRefRecord, FoundRepository, MovingRefRecord } from '../../access/access-store.ts'

/** Where the uid is null, only `is_there` means anything: the account may not see the repository, or there is none. */
export interface RepositoryRow {
  readonly is_there: 0 | 1 | null
  readonly uid: RepositoryUid | null
  readonly epoch: number
  readonly visibility: 'public' | 'private'
  readonly default_branch: RefName
  readonly ref_rules: string
  readonly member_role: Role | null
  readonly collaborator_role: Role | null
  readonly fixed_uid: RefUid | null
  readonly fixed_name: RefName | CommitHash
  readonly fixed_commit: CommitHash
  readonly holders: string | null
  readonly past_holders: string | null
  readonly fixed_forks: string | null
  readonly moving_uid: RefUid | null
  readonly moving_name: RefName
  readonly moving_commit: CommitHash
  readonly moving_forks: string | null
}

export function repositoryIn(row: RepositoryRow): FoundRepository {
  if (row.uid === null) return row.is_there === 1 ? 'hidden' : 'absent'
  return {
    uid: row.uid,
    epoch: row.epoch,
    visibility: row.visibility,
    defaultBranch: row.default_branch,
    refRules: listIn(row.ref_rules),
    memberRole: row.member_role,
    collaboratorRole: row.collaborator_role,
    fixed: fixedIn(row),
    moving: movingIn(row),
  }
}

function fixedIn(row: RepositoryRow): FixedRefRecord | undefined {
  if (row.fixed_uid === null) return undefined
  return {
    uid: row.fixed_uid,
    name: row.fixed_name,
    commit: row.fixed_commit,
    holders: listIn(row.holders),
    pastHolders: listIn(row.past_holders),
    forks: listIn(row.fixed_forks),
  }
}

function movingIn(row: RepositoryRow): MovingRefRecord | undefined {
  if (row.moving_uid === null) return undefined
  const { moving_uid: uid, moving_name: name, moving_commit: commit } = row
  return { uid, name, commit, forks: listIn(row.moving_forks) }
}

/** Nothing aggregated is null in PostgreSQL, and an empty list in SQLite. */
function listIn<Item>(json: string | null): readonly Item[] {
  return json === null || json === '[]' ? none : JSON.parse(json)
}

/** One for all, because caches keep tens of thousands of them. */
const none: readonly never[] = []
