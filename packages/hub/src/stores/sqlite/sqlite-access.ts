/** The questions of the access room, answered by one SQLite connection that only reads. */

import type { DatabaseSync } from 'node:sqlite'
import {
  type AccountId,
  formatRepoRef,
  type HubTokenId,
  idOfNoAccount,
  journalNumber,
  noAccountId,
  noJournalNumber,
  type StorageName,
  type UnixSeconds,
} from '@latchkey/protocol'
import type {
  AccessStore,
  CallerRecord,
  DirectoryVersion,
  FoundRepository,
  LookedUpNames,
  Viewer,
} from '../../access/access-store.ts'
import { isFresh, type Moments, type Staleness } from '../../access/moment.ts'
import { defaultStaleness } from '../store.ts'
import { findStatement, type RepositoryRow, repositoryIn } from './find-statement.ts'

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
    find({ now, hubTokenHash, about, viewerOf }) {
      const caller = hubTokenHash === undefined ? undefined : findCaller(hubTokenHash)
      const viewer = viewerOf(caller)
      return { caller, repository: about && viewer && findRepository(about, viewer, now) }
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
  let preparedVersion: unknown
  let version = { number: noJournalNumber, mark: 0 }
  return () => {
    const learned = now()
    const current = dataVersion.get()?.['data_version']
    if (current !== preparedVersion) {
      const { number, mark } = journalHead.get() ?? {}
      version = { number: journalNumber(Number(number)), mark: Number(mark) }
      preparedVersion = current
    }
    return { ...version, learned }
  }
}

/** Finds the account of a hub token by the token's hash. */
type FindCaller = (hubTokenHash: string) => CallerRecord | undefined

function prepareFindCaller(database: DatabaseSync): FindCaller {
  const byHash = database.prepare(`
    SELECT t.account_id, a.name AS account_name, a.disabled, a.administrator,
           t.id AS hub_token_id, t.kind, t.origin, t.grants, t.admin_scopes, t.namespaces, t.storage,
           t.expires_at, t.revoked_at
    FROM hub_tokens t JOIN accounts a ON a.id = t.account_id
    WHERE t.secret_hash = ?`)
  return (hubTokenHash) => {
    const row = byHash.get(hubTokenHash) as CallerRow | undefined
    return row === undefined ? undefined : callerOf(row)
  }
}

/** The row of a hub token and its account, as SQLite has it: seconds, 0 and 1, JSON as text. */
interface CallerRow {
  readonly account_id: AccountId
  readonly account_name: string
  readonly disabled: number
  readonly administrator: number
  readonly hub_token_id: HubTokenId
  readonly kind: CallerRecord['kind']
  readonly origin: CallerRecord['origin']
  readonly grants: string
  readonly admin_scopes: string | null
  readonly namespaces: string | null
  readonly storage: StorageName | null
  readonly expires_at: UnixSeconds | null
  readonly revoked_at: UnixSeconds | null
}

function callerOf(row: CallerRow): CallerRecord {
  return {
    accountId: row.account_id,
    accountName: row.account_name,
    accountDisabled: row.disabled === 1,
    administrator: row.administrator === 1,
    hubTokenId: row.hub_token_id,
    kind: row.kind,
    origin: row.origin,
    grants: JSON.parse(row.grants),
    ...(row.admin_scopes === null ? {} : { adminScopes: JSON.parse(row.admin_scopes) }),
    ...(row.namespaces === null ? {} : { namespaces: JSON.parse(row.namespaces) }),
    ...(row.storage === null ? {} : { storage: row.storage }),
    ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
    ...(row.revoked_at === null ? {} : { revokedAt: row.revoked_at }),
  }
}

/** The repository that a question names, as one account sees it, and the refs that its revision can mean. */
type FindRepositoryRows = (
  looked: LookedUpNames,
  viewer: Viewer,
  now: UnixSeconds,
) => FoundRepository

function prepareFindRepository(database: DatabaseSync): FindRepositoryRows {
  const statement = database.prepare(findStatement)
  return ({ repo, names: { commit = null, tag = null, moving = null } }, viewer, now) => {
    const { accountId = noAccountId } = viewer
    const branch = moving === 'default branch' ? '' : moving
    const row = statement.get(
      ...[accountId, formatRepoRef(repo), idOfNoAccount(accountId)],
      ...[commit, tag, branch, now],
    ) as RepositoryRow | undefined
    return row === undefined ? 'absent' : repositoryIn(row)
  }
}
