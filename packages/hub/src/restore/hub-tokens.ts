/** Hub tokens that were revoked, end sooner, or carry something else. */

import { adminScopeList, grants } from '@latchkey/admin-api'
import { canonicalPattern, type HubTokenGrant, type Scope, scopeCovers } from '@latchkey/protocol'
import type { z } from 'zod'
import { isCovered, liesIn } from '../permission/compare-reach.ts'
import type { HubTokenRow } from '../tables/rows.ts'
import {
  hadNoMore,
  isSame,
  narrowedTo,
  notThere,
  type Repeat,
  type Repetition,
  type ReportedEntry,
  repeated,
} from './commits.ts'

export const repeatHubToken: Repeat = async ({ tables, put, now }, entry) => {
  const before = await tables
    .selectFrom('hub_tokens')
    .selectAll()
    .where('id', '=', entry.hub_token_id)
    .executeTakeFirst()
  const account =
    before &&
    (await tables
      .selectFrom('accounts')
      .selectAll()
      .where('id', '=', before.account_id)
      .executeTakeFirst())
  if (before === undefined || account === undefined) return notThere
  const left = isEnd(entry) ? revokedAsTold : what(entry, before)
  const after =
    'lists' in left
      ? { ...before, ...left.lists, expires_at: soonerEnd(entry, before) }
      : { ...before, revoked_at: before.revoked_at ?? now }
  if (isSame(before, after)) return hadNoMore
  await put([{ thing: 'hub-token', before, after, account }])
  return left.how
}

function isEnd({ did }: ReportedEntry): boolean {
  return did === 'revoked' || did === 'deleted'
}

/** The lists that the hub token keeps; without lists it must be revoked. */
type Left =
  | { readonly how: Repetition; readonly lists: Pick<HubTokenRow, 'grants' | 'admin_scopes'> }
  | { readonly how: Repetition }

const revokedAsTold: Left = { how: repeated }
const notToldEnough: Left = {
  how: { outcome: 'made safe', detail: 'The entry does not say what it carries: it is revoked.' },
}
const nothingShared: Left = {
  how: {
    outcome: 'made safe',
    detail: 'It could carry nothing that the backup and this entry both allow: it is revoked.',
  },
}

/** Never more than the row has: an entry that replaces a list may have added to it. */
function what(entry: ReportedEntry, row: HubTokenRow): Left {
  const carried = listIn(entry, 'grants', grants)
  const groups = listIn(entry, 'adminScopes', adminScopeList.nullable())
  if (carried === 'unknown' || groups === 'unknown' || Number.isNaN(endIn(entry)))
    return notToldEnough
  const own: HubTokenGrant[] = JSON.parse(row.grants)
  const leftGrants = carried === undefined ? own : sharedGrants(own, carried)
  const ownGroups: string[] | null = JSON.parse(row.admin_scopes ?? 'null')
  const leftGroups = sharedGroups(ownGroups, groups ?? null)
  // Together the lists can have more grants or patterns than a hub token may carry.
  const isFit = carried === undefined || (leftGrants.length > 0 && isShort(leftGrants))
  if (!isFit || leftGroups?.length === 0) return nothingShared
  const lists = {
    grants: carried === undefined ? row.grants : JSON.stringify(leftGrants),
    admin_scopes: leftGroups === null ? null : JSON.stringify(leftGroups),
  }
  if (carried !== undefined) return { lists, how: narrowedTo(leftGrants, carried) }
  return { lists, how: groups === undefined ? repeated : narrowedTo(leftGroups, groups) }
}

function isShort(list: readonly HubTokenGrant[]): boolean {
  return grants.safeParse(list).success
}

/** Null is every verb group. */
function sharedGroups(
  own: readonly string[] | null,
  reported: readonly string[] | null,
): readonly string[] | null {
  if (own === null || reported === null) return own ?? reported
  return own.filter((group) => reported.includes(group))
}

function soonerEnd(entry: ReportedEntry, { expires_at }: HubTokenRow): number | null {
  const end = endIn(entry)
  return end === undefined ? expires_at : Math.min(end, expires_at ?? end)
}

function endIn({ after: { expiresAt } }: ReportedEntry): number | undefined {
  return typeof expiresAt === 'string' ? Math.floor(Date.parse(expiresAt) / 1000) : undefined
}

/** Undefined when the entry is not about the list; unknown when the entry keeps only its length. */
function listIn<Kind extends z.ZodType>(
  { after }: ReportedEntry,
  name: string,
  kind: Kind,
): z.infer<Kind> | 'unknown' | undefined {
  if (!(name in after)) return undefined
  const { success, data } = kind.safeParse(after[name])
  return success ? data : 'unknown'
}

/** The grants that two lists have in common: what both allow, or less where patterns are hard to compare. */
function sharedGrants(
  one: readonly HubTokenGrant[],
  other: readonly HubTokenGrant[],
): readonly HubTokenGrant[] {
  const shared = one.flatMap((grant) => other.flatMap((theirs) => sharedGrant(grant, theirs)))
  return [...new Map(shared.map((grant) => [JSON.stringify(grant), grant])).values()]
}

function sharedGrant(one: HubTokenGrant, other: HubTokenGrant): readonly HubTokenGrant[] {
  const on = narrowerPlace(one.on, other.on)
  const refs = sharedPatterns(one.refs, other.refs)
  if (on === undefined || refs?.length === 0) return []
  const contents = narrowerScope(one.contents, other.contents)
  return [refs === undefined ? { on, contents } : { on, contents, refs: [...refs] }]
}

/** Two of `*`, a namespace and a repository: one lies in the other, or they have nothing in common. */
function narrowerPlace(one: string, other: string): string | undefined {
  if (liesIn(one, other)) return one
  return liesIn(other, one) ? other : undefined
}

function narrowerScope(one: Scope, other: Scope): Scope {
  return scopeCovers(one, other) ? other : one
}

type Patterns = readonly string[] | undefined

/** Without patterns a grant speaks of every ref. Of two patterns with wildcards only equal ones are compared. */
function sharedPatterns(one: Patterns, other: Patterns): Patterns {
  if (one === undefined) return other
  if (other === undefined) return one
  const inOther = one.filter((pattern) => isCovered(pattern, other))
  const inOne = other.filter((pattern) => isCovered(pattern, one))
  return [...new Set([...inOther, ...inOne].map(canonicalPattern))]
}
