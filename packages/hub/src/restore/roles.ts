/** Members and collaborators that were removed, or hold a smaller role. */

import { type Role, roleCovers } from '@latchkey/protocol'
import type { Reading } from '../tables/directory.ts'
import type { AccountRow } from '../tables/rows.ts'
import { findRepositoryByUid } from '../verbs/repository-rows.ts'
import { hadNoMore, notThere, type Repeat, type Repetition, repeated, type Told } from './told.ts'

export const repeatMember: Repeat = async ({ tables, put }, told) => {
  const account = await findAccount(tables, told)
  const namespace = await tables
    .selectFrom('namespaces')
    .selectAll()
    .where('id', '=', told.namespace_id ?? '')
    .executeTakeFirst()
  if (account === undefined || namespace === undefined) return notThere
  const before = await tables
    .selectFrom('members')
    .selectAll()
    .where('namespace_id', '=', namespace.id)
    .where('account_id', '=', account.id)
    .executeTakeFirst()
  if (before === undefined) return notThere
  return leaveRole(told, before, (after) =>
    put([{ thing: 'member', before, after, namespace, account }]),
  )
}

export const repeatCollaborator: Repeat = async ({ tables, put }, told) => {
  const account = await findAccount(tables, told)
  const repository = await findRepositoryByUid(tables, told.repository_uid)
  if (account === undefined || repository === undefined) return notThere
  const before = await tables
    .selectFrom('collaborators')
    .selectAll()
    .where('repository_uid', '=', repository.uid)
    .where('account_id', '=', account.id)
    .executeTakeFirst()
  if (before === undefined) return notThere
  return leaveRole(told, before, (after) =>
    put([{ thing: 'collaborator', before, after, repository, account }]),
  )
}

/** Puts the row with the role that is left, or without any role no row. */
async function leaveRole<Row extends { readonly role: string }>(
  told: Told,
  before: Row,
  putAfter: (after: Row | undefined) => Promise<void>,
): Promise<Repetition> {
  const role = roleLeft(told, before.role)
  if (role === before.role) return hadNoMore
  await putAfter(role === undefined ? undefined : { ...before, role })
  return repeated
}

/** The smaller of the two: a role that was raised and lowered again after the backup is not raised here. */
function roleLeft({ did, after }: Told, held: string): string | undefined {
  if (did === 'deleted') return undefined
  const left = String(after['role'])
  return roleCovers(left as Role, held as Role) ? held : left
}

function findAccount(tables: Reading, { account_id }: Told): Promise<AccountRow | undefined> {
  return tables.selectFrom('accounts').selectAll().where('id', '=', account_id).executeTakeFirst()
}
