/** One statement that answers many questions for a caller and a repository, from one snapshot. */

import type { AccountId } from '@latchkey/protocol'
import {
  type CallerRecord,
  type FixedRefRecord,
  type FoundRepository,
  type MovingRefRecord,
  maxAncestors,
  type RepositoryRecord,
  type StoreAnswer,
} from '../../access/access-store.ts'
import { ofWhom, oneHead } from './server-name.ts'

const object = (members: Readonly<Record<string, string>>) =>
  `pg_catalog.json_build_object(${Object.entries(members)
    .map(([name, value]) => `'${name}', ${value}`)
    .join(', ')})`

/** Null where there is nothing to put in it. */
const objectIf = (condition: string, members: Readonly<Record<string, string>>) =>
  `CASE WHEN ${condition} THEN ${object(members)} END`

const listOf = (select: string) => `coalesce((${select}), '[]'::json)`

const fork = (row: string) =>
  object({
    uid: `${row}.uid`,
    fromUid: `${row}.from_uid`,
    forkedNumber: `coalesce(${row}.forked_number, 0)`,
  })

/**
 * The answers are one list in JSON, because the driver takes longer to read rows of many columns.
 *
 * `entry` is the index entry of the path. For an absent path it is the nearest path before, or else the first of all: it only
 * takes the work of a hidden repository, and nothing of it is used. The row itself, `visible`, is read only when the account
 * may see it. Which account looks is guessed here from the hub token, to save a round trip; the store compares the guess
 * with what the access room says, and asks again where they differ. Functions are named with their schema, because another
 * role may make one of the same name that fits better.
 */
export function findStatement(schema: string): string {
  const caller = objectIf('t.id IS NOT NULL', {
    accountId: 'a.id',
    accountName: 'a.name',
    accountDisabled: 'a.disabled',
    administrator: 'a.administrator',
    hubTokenId: 't.id',
    kind: 't.kind',
    origin: 't.origin',
    grants: 't.grants',
    adminScopes: 't.admin_scopes',
    namespaces: 't.namespaces',
    storage: 't.storage',
    expiresAt: 't.expires_at',
    revokedAt: 't.revoked_at',
  })
  const heldCommit = 'h.repository_uid = visible.uid AND h.hash = fixed.commit'
  const fixed = objectIf('fixed.uid IS NOT NULL', {
    uid: 'fixed.uid',
    name: 'fixed.name',
    commit: 'fixed.commit',
    holders: listOf(`
      SELECT pg_catalog.json_agg(${object({
        uid: 'r.uid',
        name: 'r.name',
        recordedNumber: 'h.recorded_number',
        refPosition: 'r.position',
      })} ORDER BY h.position)
      FROM ${schema}.commit_holders h JOIN ${schema}.refs r ON r.uid = h.ref_uid
      WHERE ${heldCommit}`),
    pastHolders: listOf(`
      SELECT pg_catalog.json_agg(h.name ORDER BY h.name) FROM ${schema}.past_holders h WHERE ${heldCommit}`),
    forks: listOf(`
      SELECT pg_catalog.json_agg(${fork('r')}) FROM ${schema}.refs r
      WHERE r.repository_uid = visible.uid AND r.from_uid IS NOT NULL AND EXISTS (
        SELECT FROM ${schema}.commit_holders h JOIN ${schema}.refs held ON held.uid = h.ref_uid
        WHERE ${heldCommit} AND held.from_uid IS NOT NULL)`),
  })
  const moving = objectIf('moving.uid IS NOT NULL', {
    uid: 'moving.uid',
    name: 'moving.name',
    commit: 'moving.commit',
    forks: `CASE WHEN moving.from_uid IS NOT NULL THEN (
      WITH RECURSIVE behind AS (
        SELECT r.uid, r.from_uid, r.forked_number, 1 AS depth FROM ${schema}.refs r WHERE r.uid = moving.uid
        UNION ALL
        SELECT r.uid, r.from_uid, r.forked_number, behind.depth + 1
        FROM behind JOIN ${schema}.refs r ON r.uid = behind.from_uid AND r.from_uid IS NOT NULL
        WHERE behind.depth < ${maxAncestors})
      SELECT pg_catalog.json_agg(${fork('behind')} ORDER BY behind.depth) FROM behind) ELSE '[]'::json END`,
  })
  const repository = objectIf('visible.uid IS NOT NULL', {
    uid: 'visible.uid',
    epoch: 'visible.epoch',
    storage: 'visible.storage',
    visibility: 'visible.visibility',
    defaultBranch: 'visible.default_branch',
    refRules: 'visible.ref_rules',
    memberRole: 'member.role',
    collaboratorRole: 'collaborator.role',
    teamEnds: object({
      read: 'coalesce(team.reads_until, 0)',
      write: 'coalesce(team.writes_until, 0)',
      admin: 'coalesce(team.administers_until, 0)',
    }),
    fixed,
    moving,
  })
  const answer = object({
    caller,
    viewer: 'viewer.account',
    isThere: 'entry.is_there',
    repository,
  })
  return `
SELECT ${ofWhom('head')}, (
SELECT pg_catalog.json_agg(${answer} ORDER BY asked.place)
FROM ROWS FROM (
       pg_catalog.json_to_recordset($1::json) AS (hash text, account text, path text, commit text, tag text, branch text, now bigint)
     ) WITH ORDINALITY AS asked (hash, account, path, commit, tag, branch, now, place)
LEFT JOIN LATERAL (
  SELECT * FROM ${schema}.hub_tokens WHERE secret_hash = asked.hash LIMIT 1) AS t ON true
LEFT JOIN LATERAL (
  SELECT * FROM ${schema}.accounts WHERE id = t.account_id LIMIT 1) AS a ON true
CROSS JOIN LATERAL (
  SELECT CASE
    WHEN asked.hash IS NULL THEN asked.account
    WHEN t.kind IN ('read', 'write') THEN t.account_id
    WHEN t.kind = 'fine-grained' AND EXISTS (
      SELECT FROM pg_catalog.json_array_elements(t.grants) AS granted
      WHERE granted ->> 'on'::text IN ('*', pg_catalog.split_part(asked.path, '/', 2) || '/*', asked.path)) THEN t.account_id
  END AS account) AS viewer
LEFT JOIN LATERAL (
  SELECT r.path = asked.path AS is_there, r.visibility, r.namespace_id, r.uid
  FROM ${schema}.repositories r
  WHERE r.path <= greatest(asked.path, (SELECT pg_catalog.min(path) FROM ${schema}.repositories))
  ORDER BY r.path DESC LIMIT 1) AS entry ON asked.path IS NOT NULL
LEFT JOIN LATERAL (
  SELECT m.role FROM ${schema}.members m
  WHERE m.account_id = CASE WHEN entry.is_there THEN viewer.account ELSE '' END
    AND m.namespace_id = entry.namespace_id LIMIT 1) AS member ON true
LEFT JOIN LATERAL (
  SELECT c.role FROM ${schema}.collaborators c
  WHERE c.account_id = CASE WHEN entry.is_there THEN viewer.account ELSE '' END
    AND c.repository_uid = entry.uid LIMIT 1) AS collaborator ON true
LEFT JOIN LATERAL (
  SELECT pg_catalog.max(g.reads_until) AS reads_until, pg_catalog.max(g.writes_until) AS writes_until,
         pg_catalog.max(g.administers_until) AS administers_until
  FROM ${schema}.team_access g
  WHERE g.account_id = CASE WHEN entry.is_there THEN viewer.account ELSE '' END
    AND g.place_id IN (entry.namespace_id, entry.uid)) AS team ON true
LEFT JOIN LATERAL (
  SELECT * FROM ${schema}.repositories r
  WHERE r.uid = CASE WHEN entry.is_there AND (
      member.role IS NOT NULL OR collaborator.role IS NOT NULL OR entry.visibility = 'public'
        OR team.reads_until > asked.now
    ) THEN entry.uid ELSE '' END LIMIT 1) AS visible ON true
LEFT JOIN LATERAL (
  SELECT r.uid, r.name, r.commit_hash AS commit FROM ${schema}.refs r
    WHERE asked.commit IS NULL AND r.repository_uid = coalesce(visible.uid, '') AND r.name = asked.tag
  UNION ALL
  SELECT c.uid, c.hash, c.hash FROM ${schema}.commits c
    WHERE c.repository_uid = coalesce(visible.uid, '') AND c.hash = asked.commit
  LIMIT 1) AS fixed ON true
LEFT JOIN LATERAL (
  SELECT r.uid, r.name, r.commit_hash AS commit, r.from_uid FROM ${schema}.refs r
  WHERE asked.commit IS NULL AND r.repository_uid = coalesce(visible.uid, '')
    AND r.name = CASE WHEN asked.branch = '' THEN visible.default_branch ELSE asked.branch END
  LIMIT 1) AS moving ON true) AS answers
FROM ${oneHead(schema)}`
}

export interface FoundFacts extends StoreAnswer {
  /** With a caller, the account that looked. */
  readonly viewer?: FoundAnswer['viewer']
}

interface FoundAnswer {
  readonly caller: CallerInJson | null
  /** The account that looked; null for nobody in particular. */
  readonly viewer: AccountId | null
  /** Null where no repository was asked for. */
  readonly isThere: boolean | null
  /** Null where the account may not see it, too. */
  readonly repository: RepositoryInJson | null
}

type Optional = 'adminScopes' | 'namespaces' | 'storage' | 'expiresAt' | 'revokedAt'

type CallerInJson = Omit<CallerRecord, Optional> & {
  readonly [Name in Optional]: Exclude<CallerRecord[Name], undefined> | null
}

interface RepositoryInJson extends Omit<RepositoryRecord, 'fixed' | 'moving'> {
  readonly fixed: FixedRefRecord | null
  readonly moving: MovingRefRecord | null
}

export function foundIn(answer: FoundAnswer): FoundFacts {
  const { caller, viewer } = answer
  const repository = repositoryIn(answer)
  return caller === null
    ? { caller: undefined, repository }
    : { caller: callerIn(caller), viewer, repository }
}

function callerIn(caller: CallerInJson): CallerRecord {
  const { adminScopes, namespaces, storage, expiresAt, revokedAt, ...always } = caller
  return {
    ...always,
    ...(adminScopes !== null && { adminScopes }),
    ...(namespaces !== null && { namespaces }),
    ...(storage !== null && { storage }),
    ...(expiresAt !== null && { expiresAt }),
    ...(revokedAt !== null && { revokedAt }),
  }
}

function repositoryIn({ repository, isThere }: FoundAnswer): FoundRepository {
  if (repository === null) return isThere === true ? 'hidden' : 'absent'
  const { fixed, moving } = repository
  return { ...repository, fixed: fixed ?? undefined, moving: moving ?? undefined }
}
