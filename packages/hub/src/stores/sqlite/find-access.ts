/** The hot path's one question, answered by prepared statements. */

import type { DatabaseSync } from 'node:sqlite'
import {
  type CommitHash,
  formatRepoRef,
  type RefName,
  type RepoRef,
  refKind,
  type UnixSeconds,
} from '@latchkey/protocol'
import type { CallerRecord } from '../../identity/caller.ts'
import type {
  Ancestor,
  Holder,
  RefFacts,
  RepositoryFacts,
  WantedRevision,
} from '../../permission/access-facts.ts'
import { type Role, strongerRole } from '../../permission/role.ts'

interface CallerRow {
  account_id: string
  account_name: string
  disabled: number
  administrator: number
  id: string
  kind: CallerRecord['kind']
  grants: string
  verb_groups: string | null
  expires_at: UnixSeconds | null
  revoked_at: UnixSeconds | null
}

export function prepareFindCaller(database: DatabaseSync) {
  const byHash = database.prepare(`
    SELECT t.account_id, a.name AS account_name, a.disabled, a.administrator,
           t.id, t.kind, t.grants, t.verb_groups, t.expires_at, t.revoked_at
    FROM hub_tokens t JOIN accounts a ON a.id = t.account_id
    WHERE t.secret_hash = ?`)
  return (hubTokenHash: string): CallerRecord | undefined => {
    const row = byHash.get(hubTokenHash) as CallerRow | undefined
    return row === undefined ? undefined : callerOf(row)
  }
}

function callerOf(row: CallerRow): CallerRecord {
  return {
    accountId: row.account_id,
    accountName: row.account_name,
    accountDisabled: row.disabled === 1,
    administrator: row.administrator === 1,
    hubTokenId: row.id,
    kind: row.kind,
    grants: JSON.parse(row.grants),
    ...(row.verb_groups === null ? {} : { verbGroups: JSON.parse(row.verb_groups) }),
    ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
    ...(row.revoked_at === null ? {} : { revokedAt: row.revoked_at }),
  }
}

interface RepositoryRow {
  uid: string
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

interface LineRow {
  start: string
  depth: number
  until: UnixSeconds
  uid: string
  name: RefName
  position: number
  recorded: number | null
}

/** A uid that no row has, so that an absent repository costs the same statements as a hidden one. */
const nobody = ''

export function prepareFindRepository(database: DatabaseSync) {
  const repositories = database.prepare(`
    SELECT r.uid, r.visibility, r.default_branch, r.ref_rules,
           m.role AS member_role, c.role AS collaborator_role
    FROM repositories r
    LEFT JOIN members m ON m.namespace_id = r.namespace_id AND m.account_id = ?1
    LEFT JOIN collaborators c ON c.repository_uid = r.uid AND c.account_id = ?1
    WHERE r.path = ?2`)
  const refs = database.prepare(`
    SELECT uid, name, commit_hash FROM refs WHERE repository_uid = ? AND name IN (?, ?)`)
  const commits = database.prepare(`
    SELECT uid, hash AS name, hash AS commit_hash FROM commits WHERE repository_uid = ? AND hash = ?`)
  const lines = database.prepare(`
    WITH RECURSIVE line (start, depth, until, uid, recorded) AS (
      SELECT ref_uid, 0, recorded_at, ref_uid, position
      FROM commit_holders WHERE repository_uid = ?1 AND hash = ?2
      UNION ALL
      SELECT ?3, 0, NULL, ?3, NULL WHERE ?3 IS NOT NULL
      UNION ALL
      SELECT line.start, line.depth + 1,
             min(coalesce(line.until, refs.forked_at), refs.forked_at), refs.from_uid, line.recorded
      FROM line JOIN refs ON refs.uid = line.uid
      WHERE refs.from_uid IS NOT NULL AND line.depth < 8
    )
    SELECT line.start, line.depth, line.until, line.uid, line.recorded, refs.name, refs.position
    FROM line JOIN refs ON refs.uid = line.uid
    ORDER BY line.recorded, line.depth`)

  const findRef = (repository: RepositoryRow | undefined, revision: WantedRevision) => {
    const uid = repository?.uid ?? nobody
    switch (revision.kind) {
      case 'commit':
        return commits.get(uid, revision.hash) as RefRow | undefined
      case 'bare':
        return tagOrBranch(refs.all(uid, revision.tag, revision.branch) as unknown as RefRow[])
      case 'ref':
        return refs.get(uid, revision.name, revision.name) as RefRow | undefined
      case 'default': {
        const branch = repository?.default_branch ?? nobody
        return refs.get(uid, branch, branch) as RefRow | undefined
      }
      case 'impossible':
        return undefined
    }
  }

  const find = (
    accountId: string,
    repo: RepoRef,
    revision: WantedRevision,
  ): RepositoryFacts | undefined => {
    const repository = repositories.get(accountId, formatRepoRef(repo)) as RepositoryRow | undefined
    const ref = findRef(repository, revision)
    const held = ref !== undefined && !isMoving(ref) ? ref.commit_hash : null
    const own = ref !== undefined && isMoving(ref) ? ref.uid : null
    const found = lines.all(repository?.uid ?? nobody, held, own) as unknown as LineRow[]
    return repository === undefined ? undefined : repositoryFacts(repository, ref, found)
  }
  return inOneSnapshot(database, find)
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

function repositoryFacts(
  row: RepositoryRow,
  ref: RefRow | undefined,
  lines: readonly LineRow[],
): RepositoryFacts {
  return {
    uid: row.uid,
    visibility: row.visibility,
    defaultBranch: row.default_branch,
    role: strongerRole(row.member_role ?? undefined, row.collaborator_role ?? undefined),
    refRules: row.ref_rules === '[]' ? [] : JSON.parse(row.ref_rules),
    ref: ref === undefined ? undefined : refFacts(ref, lines, row.default_branch),
  }
}

/** Imported refs may collide; the tag wins, as in git. */
function tagOrBranch(found: readonly RefRow[]): RefRow | undefined {
  return found.find(({ name }) => refKind(name) === 'tag') ?? found[0]
}

/** Branches and other refs move and so hold commits; tags and commits do not. */
function isMoving({ name }: RefRow): boolean {
  return name.startsWith('refs/') && refKind(name) !== 'tag'
}

function refFacts(ref: RefRow, lines: readonly LineRow[], defaultBranch: RefName): RefFacts {
  const byStart = Map.groupBy(lines, ({ start }) => start)
  const ancestryOf = (start: string): readonly Ancestor[] =>
    (byStart.get(start) ?? []).slice(1).map(({ uid, until }) => ({ uid, until }))
  const facts = { name: ref.name, uid: ref.uid, commit: ref.commit_hash }
  if (isMoving(ref)) return { ...facts, ancestry: ancestryOf(ref.uid), holders: [] }
  const holders = inOrder(lines, defaultBranch).map(
    ({ name, uid, until }): Holder => ({
      name,
      uid,
      recordedAt: until,
      ancestry: ancestryOf(uid),
    }),
  )
  return { ...facts, ancestry: [], holders }
}

/** First the ref that recorded the commit first, then the default branch, then the oldest. */
function inOrder(lines: readonly LineRow[], defaultBranch: RefName): readonly LineRow[] {
  const [first, ...others] = lines.filter(({ depth }) => depth === 0)
  if (first === undefined) return []
  const isDefault = ({ name }: LineRow) => Number(name === defaultBranch)
  others.sort((one, other) => isDefault(other) - isDefault(one) || one.position - other.position)
  return [first, ...others]
}
