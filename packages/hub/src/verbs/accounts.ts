import { accountKind, type VerbTable } from '@latchkey/admin-api'
import {
  type AccountKind,
  formatTime,
  type Refusal,
  refuse,
  type UnixSeconds,
} from '@latchkey/protocol'
import { newId } from '@latchkey/service/machine/random'
import type { z } from 'zod'
import { countOf, nameIs, sameName } from '../tables/columns.ts'
import type { Reading, Work } from '../tables/directory.ts'
import { endSignInsOfDisabled } from '../tables/end-sign-ins.ts'
import type { AccountRow } from '../tables/rows.ts'
import { refuseLosingLast, refuseTouchingAdministrator } from './administrators.ts'
import { type Does, makePage } from './does.ts'
import { refuseRevivingHubTokens } from './hub-token-view.ts'
import { refusePublisherAccount } from './publisher-account.ts'

export const createAccount: Does<'account create'> = async (work, input) => {
  const { tables, actor, put } = work
  const beyond = input.administrator ? refuseTouchingAdministrator(actor) : undefined
  if (beyond !== undefined) return beyond
  const similar = await findSimilarAccount(tables, input.name)
  if (similar !== undefined) return accountTaken(similar.name)
  const row = newAccountRow(work, input)
  await put([{ thing: 'account', after: row }])
  return accountOutput(row)
}

export const showAccount: Does<'account show'> = async ({ tables }, input) => {
  const row = await findAccount(tables, input.account)
  return row === undefined ? noAccount(input.account) : accountOutput(row)
}

export const listAccounts: Does<'account list'> = async ({ tables }, { limit, after = '' }) => {
  const rows = await tables
    .selectFrom('accounts')
    .selectAll()
    .where('name', '>', after)
    .orderBy('name')
    .limit(limit + 1)
    .execute()
  const total = await countOf(tables.selectFrom('accounts'))
  return makePage({ rows, total, limit }, accountOutput, (row) => row.name)
}

export const setAccount: Does<'account set'> = async (work, { account, ...members }) => {
  const { tables, actor, put } = work
  const row = await findAccount(tables, account)
  if (row === undefined) return noAccount(account)
  const touches = row.administrator === 1 || members.administrator === true
  const beyond = touches ? refuseTouchingAdministrator(actor) : undefined
  if (beyond !== undefined) return beyond
  const changed = changedAccountRow(row, members)
  const isOther = changed.kind !== row.kind || changed.administrator !== row.administrator
  const managed = isOther ? await refusePublisherAccount(tables, row) : undefined
  if (managed !== undefined) return managed
  const revives = await refuseRevivingHubTokens(work, row, changed)
  if (revives !== undefined) return revives
  const last = await refuseLosingLast(work, row, changed)
  if (last !== undefined) return last
  const ended = await endSignInsOfDisabled(tables, { before: row, after: changed, now: work.now })
  await put([{ thing: 'account', before: row, after: changed }, ...ended])
  return accountOutput(changed)
}

export const deleteAccount: Does<'account delete'> = async (work, input) => {
  const { tables, actor, put } = work
  const row = await findAccount(tables, input.account)
  if (row === undefined) return noAccount(input.account)
  const beyond = row.administrator === 1 ? refuseTouchingAdministrator(actor) : undefined
  const refused =
    beyond ?? (await refusePublisherAccount(tables, row)) ?? (await refuseLosingLast(work, row))
  if (refused !== undefined) return refused
  await put([{ thing: 'account', before: row }])
  return { deleted: row.name }
}

function accountOutput(row: AccountRow): z.input<VerbTable['account show']['output']> {
  return {
    id: row.id,
    name: row.name,
    kind: accountKind.parse(row.kind),
    administrator: row.administrator === 1,
    disabled: row.disabled === 1,
    createdAt: formatTime(row.created_at as UnixSeconds),
  }
}

interface AccountWish {
  readonly kind?: AccountKind | undefined
  readonly administrator?: boolean | undefined
  readonly disabled?: boolean | undefined
}

export function newAccountRow(
  { now, randomBytes }: Work,
  { name, ...wish }: AccountWish & { readonly name: string },
): AccountRow {
  const plain = { kind: 'user', administrator: 0, disabled: 0, created_at: now }
  return changedAccountRow({ id: newId(randomBytes), name, ...plain, origin: 'admin' }, wish)
}

export function changedAccountRow(row: AccountRow, wish: AccountWish): AccountRow {
  return {
    ...row,
    kind: wish.kind ?? row.kind,
    administrator: Number(wish.administrator ?? row.administrator),
    disabled: Number(wish.disabled ?? row.disabled),
  }
}

export function findAccount(tables: Reading, name: string): Promise<AccountRow | undefined> {
  return tables.selectFrom('accounts').selectAll().where(nameIs(name)).executeTakeFirst()
}

export function findSimilarAccount(tables: Reading, name: string): Promise<AccountRow | undefined> {
  return tables.selectFrom('accounts').selectAll().where(sameName(name)).executeTakeFirst()
}

export function noAccount(name: string): Refusal {
  return refuse(
    'resource_not_found',
    `There is no account "${name}". Names are matched exactly; create the account first.`,
    { next: ['account', 'create', name] },
  )
}

export function accountTaken(name: string): Refusal {
  return refuse(
    'conflict',
    `There is an account "${name}" already, and names must differ by more than case. Choose another name, or change that account.`,
    { next: ['account', 'show', name] },
  )
}
