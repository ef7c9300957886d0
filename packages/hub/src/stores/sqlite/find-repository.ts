/** What the directory knows of a repository and one of its revisions, for one account. */

import type { DatabaseSync } from 'node:sqlite'
import {
  type CommitHash,
  formatRepoRef,
  type RefName,
  type RepoRef,
  type Role,
  refKind,
  strongerRole,
} from '@latchkey/protocol'
import {
  closedRepository,
  type RefFacts,
  type RepositoryFacts,
  type WantedRevision,
} from '../../permission/access-facts.ts'
import { type Lineage, prepareLineage } from './lineage.ts'

/** Nothing but `is_there` means anything where the uid is null: the account may not see it, or there is none. */
type RepositoryRow = { is_there: 0 | 1 } & (OpenRow | { uid: null })

interface OpenRow {
  uid: string
  epoch: number
  visibility: 'public' | 'private'
  default_branch: RefName
  ref_rules: string
  member_role: Role | null
  collaborator_role: Role | null
}

interface RefRow {
  uid: string
  name: RefName
  commit_hash: CommitHash
}

/** Stands for a repository that is absent or closed when its refs are looked up: no row has it. */
const nowhere = { uid: '', default_branch: '' } as const

type FindRow = (accountId: string, repo: RepoRef) => RepositoryRow | undefined
type FindRef = (
  repository: { readonly uid: string; readonly default_branch: string },
  revision: WantedRevision,
) => RefRow | undefined

export function prepareFindRepository(database: DatabaseSync) {
  const findRow = prepareFindRow(database)
  const findRef = prepareFindRef(database)
  const lineage = prepareLineage(database)
  return inOneSnapshot(
    database,
    (accountId: string, repo: RepoRef, revision: WantedRevision): RepositoryFacts | undefined => {
      const row = findRow(accountId, repo)
      if (row === undefined || row.uid === null) {
        // A closed and an absent repository take the same statements.
        findRef(nowhere, revision)
        return row?.is_there === 1 ? closedRepository : undefined
      }
      const { uid, epoch, visibility, default_branch: defaultBranch } = row
      const role = strongerRole(row.member_role ?? undefined, row.collaborator_role ?? undefined)
      const found = findRef({ uid, default_branch: defaultBranch }, revision)
      const ref = found && refFacts(found, uid, defaultBranch, lineage)
      const refRules = row.ref_rules === '[]' ? [] : JSON.parse(row.ref_rules)
      return { uid, epoch, visibility, defaultBranch, role, refRules, ref }
    },
  )
}

/**
 * `door` is the repository of this path. For an absent path it is the nearest one before, or else the first of all: it is
 * there only to take the work of a closed repository, and nothing of it is used. It is read from its index alone, and
 * roles from the indexes of the account. The row itself, `inside`, is read only when the account may see it.
 */
function prepareFindRow(database: DatabaseSync): FindRow {
  const row = database.prepare(`
    SELECT door.is_there,
           inside.uid, inside.epoch, inside.visibility, inside.default_branch, inside.ref_rules,
           m.role AS member_role, c.role AS collaborator_role
    FROM (
      SELECT path = ?2 AS is_there, visibility, namespace_id, uid, rowid AS id
      FROM repositories INDEXED BY repository_doors
      WHERE path <= max(?2, (SELECT min(path) FROM repositories INDEXED BY repository_doors))
      ORDER BY path DESC LIMIT 1
    ) AS door
    LEFT JOIN members AS m INDEXED BY members_by_account
      ON m.account_id = iif(door.is_there, ?1, ?3) AND m.namespace_id = door.namespace_id
    LEFT JOIN collaborators AS c INDEXED BY collaborators_by_account
      ON c.account_id = iif(door.is_there, ?1, ?3) AND c.repository_uid = door.uid
    LEFT JOIN repositories AS inside ON inside.rowid = iif((
        m.role IS NOT NULL OR c.role IS NOT NULL OR door.visibility = 'public'
      ) AND door.is_there, door.id, NULL)`)
  return (accountId, repo) =>
    row.get(accountId, formatRepoRef(repo), noAccountBeside(accountId)) as RepositoryRow | undefined
}

/** An id that no account has, because ids have no dashes; it is looked for where the account's own is. */
function noAccountBeside(accountId: string): string {
  return `${accountId.slice(0, -1)}-`
}

function prepareFindRef(database: DatabaseSync): FindRef {
  const refs = database.prepare(`
    SELECT uid, name, commit_hash FROM refs WHERE repository_uid = ? AND name IN (?, ?)`)
  const commits = database.prepare(`
    SELECT uid, hash AS name, hash AS commit_hash FROM commits WHERE repository_uid = ? AND hash = ?`)
  return ({ uid, default_branch }, revision) => {
    switch (revision.kind) {
      case 'commit':
        return commits.get(uid, revision.hash) as RefRow | undefined
      case 'bare':
        return tagOrBranch(refs.all(uid, revision.tag, revision.branch) as unknown as RefRow[])
      case 'ref':
        return refs.get(uid, revision.name, revision.name) as RefRow | undefined
      case 'default':
        return refs.get(uid, default_branch, default_branch) as RefRow | undefined
      case 'impossible':
        return undefined
    }
  }
}

/** Imported refs may collide; the tag wins, as in git. */
function tagOrBranch(found: readonly RefRow[]): RefRow | undefined {
  return found.find(({ name }) => refKind(name) === 'tag') ?? found[0]
}

function refFacts(
  { uid, name, commit_hash: commit }: RefRow,
  repositoryUid: string,
  defaultBranch: RefName,
  lineage: Lineage,
): RefFacts {
  // Branches and other refs move and so hold commits; tags and commits do not.
  const isMoving = name.startsWith('refs/') && refKind(name) !== 'tag'
  if (isMoving) {
    return { uid, name, commit, ancestry: lineage.ancestryOf(uid), holders: [], pastHolders: [] }
  }
  const holders = lineage.holdersOf(repositoryUid, commit, defaultBranch)
  // A tag without a holder is judged by its own name, as a commit is by its hash.
  const pastHolders = lineage
    .pastHoldersOf(repositoryUid, commit)
    .map((past) => (past === commit ? name : past))
  return { uid, name, commit, ancestry: [], holders, pastHolders }
}

/** Other processes may commit between two statements; rules and refs must be of one moment. */
function inOneSnapshot<Question extends unknown[], Answer>(
  database: DatabaseSync,
  find: (...question: Question) => Answer,
): (...question: Question) => Answer {
  const begin = database.prepare('BEGIN')
  const commit = database.prepare('COMMIT')
  return (...question) => {
    begin.run()
    try {
      return find(...question)
    } finally {
      if (database.isTransaction) commit.run()
    }
  }
}
