/** Repositories that were deleted, became private or got other ref rules; refs that were deleted. */

import { maxRefRules, refRule } from '@latchkey/admin-api'
import { type Role, roleCovers } from '@latchkey/protocol'
import { z } from 'zod'
import type { RefRule } from '../permission/access-facts.ts'
import { hasForce, hasRule } from '../permission/compare-reach.ts'
import type { Reading } from '../tables/directory.ts'
import type { AccountRow } from '../tables/rows.ts'
import { findRepositoryByUid, withNewEpoch } from '../verbs/repository-rows.ts'
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

/** In place of rules that the entry does not have: writing any ref needs the largest role. */
const strictest = JSON.stringify([{ pattern: 'refs/**', write: 'admin' }])

const rules = z.array(refRule)

export const repeatRepository: Repeat = async ({ tables, put }, entry) => {
  const before = await findRepositoryByUid(tables, entry.repository_uid)
  if (before === undefined) return notThere
  if (entry.did === 'deleted') {
    await put([{ thing: 'repository', before }])
    return repeated
  }
  const { visibility, refRules } = entry.after
  const { text, how } = rulesLeft(before.ref_rules, refRules)
  const after = {
    ...before,
    visibility: visibility === 'private' ? 'private' : before.visibility,
    ref_rules: text,
  }
  if (isSame(before, after)) return hadNoMore
  await put([{ thing: 'repository', before, after }])
  return how
}

/** At least as strict as the backup's rules and the entry's. */
function rulesLeft(
  own: string,
  reported: unknown,
): { readonly text: string; readonly how: Repetition } {
  if (reported === undefined) return { text: own, how: repeated }
  const read = rules.safeParse(reported)
  if (!read.success) return { text: strictest, how: unknownRules }
  const left = stricterRules(rules.parse(JSON.parse(own)), read.data)
  if (left.length > maxRefRules) return { text: strictest, how: tooManyRules }
  return { text: JSON.stringify(left), how: narrowedTo(left, read.data) }
}

const unknownRules: Repetition = {
  outcome: 'made safe',
  detail: 'The journal keeps no list of this length: writing any ref needs the role admin now.',
}
const tooManyRules: Repetition = {
  outcome: 'made safe',
  detail:
    'The rules of the backup and of this entry are too many for one repository: writing any ref needs the role admin now.',
}

export const repeatRef: Repeat = async ({ tables, put, number }, { ref_uid, repository_uid }) => {
  const before = await tables
    .selectFrom('refs')
    .selectAll()
    .where('uid', '=', ref_uid)
    .executeTakeFirst()
  const repository = await findRepositoryByUid(tables, repository_uid)
  if (before === undefined || repository === undefined) return notThere
  await put(withNewEpoch([{ thing: 'ref', before, repository }], repository, number))
  return repeated
}

/**
 * A rule for the role admin counts in either list. A rule for the role write can open a ref that a wider pattern closes,
 * so it counts only where both lists have it: then it is as specific in each of them as it is here. Force needs both, too.
 */
function stricterRules(one: readonly RefRule[], other: readonly RefRule[]): readonly RefRule[] {
  const common = one.filter((rule) => rule.write === 'admin' || hasRule(other, rule))
  const added = other.filter((rule) => rule.write === 'admin' && !hasRule(one, rule))
  return [...common, ...added].map(({ pattern, write, allowForce }) => {
    const isInBoth =
      allowForce && hasForce(one, { pattern, write }) && hasForce(other, { pattern, write })
    return { pattern, write, ...(isInBoth && { allowForce }) }
  })
}

export const repeatMember: Repeat = async ({ tables, put }, entry) => {
  const account = await findAccount(tables, entry)
  const namespace = await tables
    .selectFrom('namespaces')
    .selectAll()
    .where('id', '=', entry.namespace_id ?? '')
    .executeTakeFirst()
  if (account === undefined || namespace === undefined) return notThere
  const before = await tables
    .selectFrom('members')
    .selectAll()
    .where('namespace_id', '=', namespace.id)
    .where('account_id', '=', account.id)
    .executeTakeFirst()
  if (before === undefined) return notThere
  return leaveRole(entry, before, (after) =>
    put([{ thing: 'member', before, after, namespace, account }]),
  )
}

export const repeatCollaborator: Repeat = async ({ tables, put }, entry) => {
  const account = await findAccount(tables, entry)
  const repository = await findRepositoryByUid(tables, entry.repository_uid)
  if (account === undefined || repository === undefined) return notThere
  const before = await tables
    .selectFrom('collaborators')
    .selectAll()
    .where('repository_uid', '=', repository.uid)
    .where('account_id', '=', account.id)
    .executeTakeFirst()
  if (before === undefined) return notThere
  return leaveRole(entry, before, (after) =>
    put([{ thing: 'collaborator', before, after, repository, account }]),
  )
}

/** Puts the row with the role that is left, or without any role no row. */
export async function leaveRole<Row extends { readonly role: string }>(
  entry: ReportedEntry,
  before: Row,
  putAfter: (after: Row | undefined) => Promise<void>,
): Promise<Repetition> {
  const role = roleLeft(entry, before.role)
  if (role === before.role) return hadNoMore
  await putAfter(role === undefined ? undefined : { ...before, role })
  return repeated
}

/** The smaller of the two: a role that was raised and lowered again after the backup is not raised here. */
function roleLeft({ did, after }: ReportedEntry, held: string): string | undefined {
  if (did === 'deleted') return undefined
  const left = String(after['role'])
  return roleCovers(left as Role, held as Role) ? held : left
}

export function findAccount(
  tables: Reading,
  { account_id }: ReportedEntry,
): Promise<AccountRow | undefined> {
  return tables.selectFrom('accounts').selectAll().where('id', '=', account_id).executeTakeFirst()
}
