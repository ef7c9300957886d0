/** The repositories that a caller may read, by name, page by page. */

import type {
  ListedRepository,
  RepositoryListing,
  RepositoryPage,
} from '@latchkey/admin-api/forge-port'
import {
  type CommitHash,
  isRefusal,
  noCommit,
  parseRepoRef,
  type Refusal,
  type RepoRef,
  repoId,
} from '@latchkey/protocol'
import { yieldInLoop, yieldToEventLoop } from '@latchkey/service/limits/slices'
import type { Facts } from '../issue/authenticate.ts'
import { decidePermission } from '../permission/decide-permission.ts'
import type { RepositoryRow } from '../tables/rows.ts'
import type { Asker } from './asker.ts'
import type { AsCallerDeps } from './deps.ts'
import { findReach, rowsAfter } from './reachable-rows.ts'

/** Rows that one statement reads, and rounds of one request: a search that finds little gets short pages. */
const rowsAtOnce = 1000
const maxRounds = 4
/** Decisions before other requests are served. */
const decisionsAtOnce = 100

/**
 * Security boundary: rows that the caller cannot reach are not read, and there is a next page only if a repository that
 * the caller may read begins it, or if `maxRounds` passed over rows that the caller can reach.
 */
export async function readableRepositories(
  listing: RepositoryListing,
  asker: Asker,
  parts: AsCallerDeps,
): Promise<RepositoryPage | Refusal> {
  const facts = await asker.anybody({ repo: undefined, revision: { kind: 'default' } })
  if (isRefusal(facts)) return facts
  const { readBeside, clock } = parts
  const now = clock()
  const reach = await readBeside((tables) => findReach(tables, facts.caller, listing, now))
  const found: Found[] = []
  let after = listing.after ?? ''
  let last = after
  for (let round = 0; round < maxRounds; round += 1) {
    const from = after
    const rows = await readBeside((tables) =>
      rowsAfter(tables, reach, { after: from, limit: rowsAtOnce }),
    )
    for (const [at, row] of rows.entries()) {
      await yieldInLoop(at, decisionsAtOnce)
      after = row.path
      const repo = parseRepoRef(row.path)
      if (repo === undefined || !isSearched(repo, listing)) continue
      const readable = await findReadable(repo, row, { facts, parts })
      if (readable === undefined) continue
      if (found.length === listing.limit) return { ...(await pageOf(found, parts)), next: last }
      found.push(readable)
      last = row.path
    }
    if (rows.length < rowsAtOnce) return { ...(await pageOf(found, parts)), next: undefined }
    await yieldToEventLoop()
  }
  return { ...(await pageOf(found, parts)), next: after }
}

function isSearched(repo: RepoRef, { search }: RepositoryListing): boolean {
  return search === undefined || repoId(repo).toLowerCase().includes(search.toLowerCase())
}

interface Found extends Omit<ListedRepository, 'updatedAt'> {
  readonly madeAt: number
}

interface Deciding {
  readonly facts: Facts
  readonly parts: AsCallerDeps
}

async function findReadable(
  repo: RepoRef,
  row: RepositoryRow,
  { facts: { caller, asOf }, parts: { work, issuing } }: Deciding,
): Promise<Found | undefined> {
  const revision = { kind: 'default' } as const
  const repository = await work.findRepository(caller.accountId, repo, revision)
  const request = { caller, repo, asOf, repository, scope: 'read', revision } as const
  const decision = decidePermission(request, issuing.policy)
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
  { readBeside }: AsCallerDeps,
): Promise<Omit<RepositoryPage, 'next'>> {
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
