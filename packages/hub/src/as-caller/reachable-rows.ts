/**
 * The rows of repositories that a caller can reach, by name. Every statement starts from what the caller may read (public
 * repositories, the account's own roles, the grants of its hub token), so hidden repositories cost no work and cut no page.
 */

import type { RepositoryListing } from '@latchkey/admin-api/forge-port'
import { type AccountId, isName, parseRepoRef, type UnixSeconds } from '@latchkey/protocol'
import { sql } from 'kysely'
import type { Caller } from '../identity/caller.ts'
import type { Reading } from '../tables/directory.ts'
import type { RepositoryRow } from '../tables/rows.ts'

/** Paths from `first` up to `end`, without `end`. */
interface Range {
  readonly first: string
  readonly end: string
}

export interface Reach {
  readonly accountId: AccountId
  readonly now: UnixSeconds
  /** Where the listing and the hub token meet, in order, without overlaps. */
  readonly ranges: readonly Range[]
  /** The namespaces of the account that have a repository of the type, in order. */
  readonly namespaces: readonly Range[]
}

/** Namespaces of one account. */
const maxNamespaces = 10_000

export async function findReach(
  tables: Reading,
  caller: Caller,
  listing: RepositoryListing,
  now: UnixSeconds,
): Promise<Reach> {
  const { accountId } = caller
  const prefix = `${listing.type}s/`
  const rows = await tables
    .selectFrom('namespaces')
    .select('namespaces.name')
    .where('namespaces.id', 'in', (nested) =>
      nested
        .selectFrom('members')
        .select('members.namespace_id as id')
        .where('members.account_id', '=', accountId)
        .unionAll(
          nested
            .selectFrom('team_access')
            .select('team_access.place_id as id')
            .where('team_access.account_id', '=', accountId)
            .where('team_access.reads_until', '>', now),
        ),
    )
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('repositories')
          .select('repositories.uid')
          .where('path', '>', sql<string>`${prefix} || namespaces.name || '/'`)
          .where('path', '<', sql<string>`${prefix} || namespaces.name || '0'`),
      ),
    )
    .limit(maxNamespaces)
    .execute()
  const namespaces = rows.map(({ name }) => below(prefix + name)).toSorted(byFirst)
  return { accountId, now, ranges: rangesOf(caller, listing), namespaces }
}

/** The next rows after a path, at most `limit`. Fewer mean that there are no others. */
export async function rowsAfter(
  tables: Reading,
  { accountId, now, ranges, namespaces }: Reach,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly RepositoryRow[]> {
  const found: RepositoryRow[] = []
  for (const range of ranges) {
    if (range.end <= after) continue
    const rest = limit - found.length
    if (rest === 0) break
    const within = () =>
      tables
        .selectFrom('repositories')
        .selectAll('repositories')
        .where('path', '>', after)
        .where('path', '>=', range.first)
        .where('path', '<', range.end)
        .orderBy('path')
        .limit(rest)
    // The index of public repositories is used for the literal alone, not for a parameter.
    const open = await within().where('visibility', '=', sql.lit('public')).execute()
    const shared = await within()
      .innerJoin('collaborators', 'collaborators.repository_uid', 'repositories.uid')
      .where('collaborators.account_id', '=', accountId)
      .execute()
    const inTeams = await within()
      .innerJoin('team_access', 'team_access.place_id', 'repositories.uid')
      .where('team_access.account_id', '=', accountId)
      .where('team_access.reads_until', '>', now)
      .execute()
    const own: RepositoryRow[] = []
    for (const { first, end } of namespaces) {
      if (own.length >= rest || first >= range.end) break
      if (end <= range.first || end <= after) continue
      own.push(...(await within().where('path', '>', first).where('path', '<', end).execute()))
    }
    const byPath = new Map([...open, ...shared, ...inTeams, ...own].map((row) => [row.path, row]))
    found.push(...[...byPath.values()].toSorted(byPathOf).slice(0, rest))
  }
  return found
}

function rangesOf(
  { kind, grants }: Caller,
  { type, namespace }: RepositoryListing,
): readonly Range[] {
  if (kind === 'admin' || kind === 'storage' || kind === 'forge') return []
  if (namespace !== undefined && !isName(namespace)) return []
  const whole = below(namespace === undefined ? `${type}s` : `${type}s/${namespace}`)
  if (kind !== 'fine-grained' || grants.some(({ on }) => on === '*')) return [whole]
  const ranges = grants.map(({ on }) => rangeOfGrant(on, type)).toSorted(byFirst)
  let end = ''
  return ranges.flatMap((range) => {
    if (range.first < end) return []
    end = range.end
    const first = range.first > whole.first ? range.first : whole.first
    const cut = { first, end: range.end < whole.end ? range.end : whole.end }
    return cut.first < cut.end ? [cut] : []
  })
}

/** `acme/*` or the path of one repository. No name has a space. */
function rangeOfGrant(on: string, type: RepositoryListing['type']): Range {
  return parseRepoRef(on) === undefined
    ? below(`${type}s/${on.replace(/\/\*$/, '')}`)
    : { first: on, end: `${on} ` }
}

/** `0` comes after the slash. */
function below(folder: string): Range {
  return { first: `${folder}/`, end: `${folder}0` }
}

/** Names are ASCII, so both databases sort them as JavaScript does. */
function byFirst(a: Range, b: Range): number {
  return a.first < b.first ? -1 : Number(a.first > b.first)
}

function byPathOf(a: RepositoryRow, b: RepositoryRow): number {
  return a.path < b.path ? -1 : Number(a.path > b.path)
}
