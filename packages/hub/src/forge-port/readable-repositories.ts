/** The repositories that a caller may read, by name, page by page. */

import { setImmediate } from 'node:timers/promises'
import {
  type CommitHash,
  isName,
  isRefusal,
  noCommit,
  parseRepoRef,
  type Refusal,
  type RepoRef,
  repoId,
} from '@latchkey/protocol'
import type { Reading } from '../directory/port/directory.ts'
import type { RepositoryRow } from '../directory/port/rows.ts'
import type { Caller } from '../identity/caller.ts'
import type { Facts } from '../issue/authenticate.ts'
import { decidePermission } from '../permission/decide-permission.ts'
import type { ForgeListed, ForgeListing, ForgePage } from './answers.ts'
import type { Asker } from './asker.ts'
import type { ForgePortParts } from './ports.ts'

/** Rows that one statement reads, and statements of one request: a caller who sees little gets short pages. */
const rowsAtOnce = 1000
const mostStatements = 4
/** Decisions before other requests are served. */
const decisionsAtOnce = 100
/** Namespaces or repositories of one account. */
const mostRoles = 10_000

export async function readableRepositories(
  listing: ForgeListing,
  asker: Asker,
  parts: ForgePortParts,
): Promise<ForgePage | Refusal> {
  const facts = await asker.anybody({ repo: undefined, revision: { kind: 'default' } })
  if (isRefusal(facts)) return facts
  const { readBeside } = parts
  const mayHold = await readBeside((tables) => placesOf(tables, facts.caller))
  const found: Found[] = []
  let after = listing.after ?? ''
  for (let statement = 0; statement < mostStatements; statement += 1) {
    const rows = await readBeside((tables) => rowsAfter(tables, after, listing))
    for (const [at, row] of rows.entries()) {
      if (at % decisionsAtOnce === decisionsAtOnce - 1) await setImmediate()
      const repo = parseRepoRef(row.path)
      if (repo === undefined || !mayHold(row) || !isSearched(repo, listing)) continue
      if (found.length === listing.limit) return { ...(await pageOf(found, parts)), next: after }
      const readable = await findReadable(repo, row, { facts, parts })
      after = row.path
      if (readable !== undefined) found.push(readable)
    }
    if (rows.length < rowsAtOnce) return { ...(await pageOf(found, parts)), next: undefined }
    after = rows.at(-1)?.path ?? after
    await setImmediate()
  }
  return { ...(await pageOf(found, parts)), next: after }
}

/** Where the account may have a role at all; the decision about each repository is made for itself. */
async function placesOf(
  tables: Reading,
  { accountId }: Caller,
): Promise<(row: RepositoryRow) => boolean> {
  const members = await tables
    .selectFrom('members')
    .select('namespace_id')
    .where('account_id', '=', accountId)
    .limit(mostRoles)
    .execute()
  const collaborators = await tables
    .selectFrom('collaborators')
    .select('repository_uid')
    .where('account_id', '=', accountId)
    .limit(mostRoles)
    .execute()
  const namespaces = new Set(members.map((row) => row.namespace_id))
  const repositories = new Set(collaborators.map((row) => row.repository_uid))
  return ({ visibility, namespace_id, uid }) =>
    visibility === 'public' || namespaces.has(namespace_id) || repositories.has(uid)
}

/** Names of one type or namespace stand together. */
async function rowsAfter(
  tables: Reading,
  after: string,
  { type, namespace }: ForgeListing,
): Promise<RepositoryRow[]> {
  if (namespace !== undefined && !isName(namespace)) return []
  const folder = namespace === undefined ? `${type}s` : `${type}s/${namespace}`
  const first = `${folder}/`
  return tables
    .selectFrom('repositories')
    .selectAll()
    .where('path', '>', after > first ? after : first)
    .where('path', '<', `${folder}0`)
    .orderBy('path')
    .limit(rowsAtOnce)
    .execute()
}

function isSearched(repo: RepoRef, { search }: ForgeListing): boolean {
  return search === undefined || repoId(repo).toLowerCase().includes(search.toLowerCase())
}

interface Found extends Omit<ForgeListed, 'updatedAt'> {
  readonly madeAt: number
}

interface Deciding {
  readonly facts: Facts
  readonly parts: ForgePortParts
}

async function findReadable(
  repo: RepoRef,
  row: RepositoryRow,
  { facts: { caller, asOf }, parts: { work, issuing } }: Deciding,
): Promise<Found | undefined> {
  const revision = { kind: 'default' } as const
  const repository = await work.findRepository(caller.accountId, repo, revision)
  const wanted = { caller, repo, asOf, repository, scope: 'read', revision } as const
  const decision = decidePermission(wanted, issuing.policy)
  if (isRefusal(decision)) return undefined
  const { repositoryUid: uid, commit } = decision.permitted
  const visibility = repository?.visibility ?? 'private'
  return {
    repo,
    uid,
    visibility,
    commit,
    createdAt: isoTime(row.created_at),
    madeAt: row.created_at,
  }
}

/** A commit is as old as its record. */
async function pageOf(
  found: readonly Found[],
  { readBeside }: ForgePortParts,
): Promise<Omit<ForgePage, 'next'>> {
  const [uids, hashes] = [found.map(({ uid }) => uid), found.map(({ commit }) => commit)]
  const rows = await readBeside((tables) =>
    tables
      .selectFrom('commits')
      .select(['repository_uid', 'hash', 'recorded_at'])
      .where('repository_uid', 'in', uids.length > 0 ? uids : [noUid])
      .where('hash', 'in', hashes.length > 0 ? hashes : [noCommit])
      .execute(),
  )
  const times = new Map(rows.map((row) => [`${row.repository_uid} ${row.hash}`, row.recorded_at]))
  const repositories = found.map(({ madeAt, ...one }) => {
    const updatedAt = isoTime(times.get(`${one.uid} ${one.commit as CommitHash}`) ?? madeAt)
    return { ...one, updatedAt }
  })
  return { repositories }
}

const noUid = '' as Found['uid']

function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}
