/** One statement that answers a question for a repository and its refs, from one snapshot. */

import type {
  CommitHash,
  RefName,
  RefUid,
  RepositoryUid,
  Role,
  StorageName,
} from '@latchkey/protocol'
import {
  type FixedRefRecord,
  type FoundRepository,
  type MovingRefRecord,
  maxAncestors,
} from '../../access/access-store.ts'

/** Fork and holder as JSON, so that a question has one row. */
const fork = (row: string) =>
  `json_object('uid', ${row}.uid, 'fromUid', ${row}.from_uid, 'forkedNumber', coalesce(${row}.forked_number, 0))`

/**
 * Parameters: account, path, an id that no account has, commit, tag, branch, time; an empty branch is the default one.
 *
 * `entry` is the index entry of the path. For an absent path it is the entry of the nearest path before, or else the first
 * of all: it only takes the work of a hidden repository, and nothing of it is used. Roles are read from the indexes of the
 * account. `visible` is the uid where the account may see the repository; otherwise the refs of no repository are looked
 * up, which takes as long. All is read from indexes alone, except rules, holders and forks where there are some.
 */
export const findStatement = `
SELECT is_there, visible AS uid, epoch, storage, visibility, default_branch,
       CASE WHEN visible IS NOT NULL THEN
         coalesce(no_rules, (SELECT ref_rules FROM repositories WHERE rowid = id)) END AS ref_rules,
       member_role, collaborator_role, reads_until, writes_until, administers_until,
       coalesce(tag.uid, record.uid) AS fixed_uid,
       coalesce(tag.name, record.hash) AS fixed_name,
       coalesce(tag.commit_hash, record.hash) AS fixed_commit,
       CASE WHEN tag.uid IS NOT NULL OR record.uid IS NOT NULL THEN (
         SELECT json_group_array(json_object('uid', r.uid, 'name', r.name, 'recordedNumber', h.recorded_number,
                                             'refPosition', r.position) ORDER BY h.position)
         FROM commit_holders h JOIN refs r ON r.uid = h.ref_uid
         WHERE h.repository_uid = visible AND h.hash = coalesce(tag.commit_hash, record.hash)) END AS holders,
       CASE WHEN tag.uid IS NOT NULL OR record.uid IS NOT NULL THEN (
         SELECT json_group_array(p.name ORDER BY p.name) FROM past_holders p
         WHERE p.repository_uid = visible AND p.hash = coalesce(tag.commit_hash, record.hash)) END AS past_holders,
       CASE WHEN (tag.uid IS NOT NULL OR record.uid IS NOT NULL) AND EXISTS (
           SELECT 1 FROM commit_holders h JOIN refs r ON r.uid = h.ref_uid
           WHERE h.repository_uid = visible AND h.hash = coalesce(tag.commit_hash, record.hash) AND r.from_uid IS NOT NULL
         ) THEN (
         SELECT json_group_array(${fork('r')}) FROM refs r
         WHERE r.repository_uid = visible AND r.from_uid IS NOT NULL) END AS fixed_forks,
       moving.uid AS moving_uid, moving.name AS moving_name, moving.commit_hash AS moving_commit,
       CASE WHEN moving.from_uid IS NOT NULL THEN (
         WITH RECURSIVE behind AS (
           SELECT r.uid, r.from_uid, r.forked_number, 1 AS depth FROM refs r WHERE r.uid = moving.uid
           UNION ALL
           SELECT r.uid, r.from_uid, r.forked_number, behind.depth + 1
           FROM behind JOIN refs r ON r.uid = behind.from_uid AND r.from_uid IS NOT NULL
           WHERE behind.depth < ${maxAncestors})
         SELECT json_group_array(${fork('behind')} ORDER BY behind.depth) FROM behind) END AS moving_forks
FROM (
  SELECT entry.*, member.role AS member_role, collaborator.role AS collaborator_role,
         max(coalesce(together.reads_until, 0), coalesce(alone.reads_until, 0)) AS reads_until,
         max(coalesce(together.writes_until, 0), coalesce(alone.writes_until, 0)) AS writes_until,
         max(coalesce(together.administers_until, 0), coalesce(alone.administers_until, 0)) AS administers_until,
         iif(is_there AND (
           member.role IS NOT NULL OR collaborator.role IS NOT NULL OR visibility = 'public'
             OR together.reads_until > ?7 OR alone.reads_until > ?7
         ), uid, NULL) AS visible
  FROM (
    SELECT path = ?2 AS is_there, visibility, namespace_id, uid, default_branch, epoch, storage, rowid AS id,
           iif(ref_rules = '[]', ref_rules, NULL) AS no_rules
    FROM repositories INDEXED BY repository_doors
    WHERE path <= max(?2, (SELECT min(path) FROM repositories INDEXED BY repository_doors))
    ORDER BY path DESC LIMIT 1
  ) AS entry
  LEFT JOIN members AS member INDEXED BY members_by_account
    ON member.account_id = iif(is_there, ?1, ?3) AND member.namespace_id = entry.namespace_id
  LEFT JOIN collaborators AS collaborator INDEXED BY collaborators_by_account
    ON collaborator.account_id = iif(is_there, ?1, ?3) AND collaborator.repository_uid = entry.uid
  LEFT JOIN team_access AS together
    ON together.account_id = iif(is_there, ?1, ?3) AND together.place_id = entry.namespace_id
  LEFT JOIN team_access AS alone
    ON alone.account_id = iif(is_there, ?1, ?3) AND alone.place_id = entry.uid
  LIMIT 1
)
LEFT JOIN commits AS record ON record.repository_uid = coalesce(visible, '') AND record.hash = ?4
LEFT JOIN refs AS tag INDEXED BY refs_by_name
  ON tag.repository_uid = coalesce(visible, '') AND tag.name = ?5
LEFT JOIN refs AS moving INDEXED BY refs_by_name
  ON moving.repository_uid = coalesce(visible, '') AND moving.name = iif(?6 = '', default_branch, ?6)`

/** Where the uid is null, only `is_there` means anything: the account may not see the repository, or there is none. */
export interface RepositoryRow {
  readonly is_there: 0 | 1 | null
  readonly uid: RepositoryUid | null
  readonly epoch: number
  readonly storage: StorageName
  readonly visibility: 'public' | 'private'
  readonly default_branch: RefName
  readonly ref_rules: string
  readonly member_role: Role | null
  readonly collaborator_role: Role | null
  readonly reads_until: number
  readonly writes_until: number
  readonly administers_until: number
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
    storage: row.storage,
    visibility: row.visibility,
    defaultBranch: row.default_branch,
    refRules: listIn(row.ref_rules),
    memberRole: row.member_role,
    collaboratorRole: row.collaborator_role,
    teamEnds: { read: row.reads_until, write: row.writes_until, admin: row.administers_until },
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

/** An empty aggregate is null in PostgreSQL, and an empty list in SQLite. */
function listIn<Item>(json: string | null): readonly Item[] {
  return json === null || json === '[]' ? none : JSON.parse(json)
}

/** One for all, because caches keep tens of thousands of them. */
const none: readonly never[] = []
