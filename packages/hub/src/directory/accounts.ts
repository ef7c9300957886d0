/** Accounts: people and services that hub tokens speak for. */

import { formatTime, type UnixSeconds } from '@latchkey/protocol'
import { z } from 'zod'
import {
  type AccountRow,
  accountTaken,
  changedAccountRow,
  findAccount,
  findSimilarAccount,
  newAccountRow,
  noAccount,
} from './account-rows.ts'
import { refuseTouchingAdministrator } from './administrators.ts'
import { countOf } from './columns.ts'
import { refuseRevivingHubTokens } from './hub-token-reach.ts'
import { operation } from './operation.ts'
import { makePage, pageOf, paging } from './page.ts'
import { accountKind, moment, name } from './words.ts'

const administrator = z.boolean()
const disabled = z.boolean()
const namedAccount = name.describe('The name of the account.')

export const account = z.object({
  id: z.string().describe('The id that storage tokens carry as their subject.'),
  name: z.string(),
  kind: accountKind,
  administrator,
  disabled,
  createdAt: moment,
})

export const createAccount = operation({
  summary: 'Make an account for a person or a service.',
  input: z.strictObject({
    name: name.describe('The name of the new account, unique ignoring case.'),
    kind: accountKind.default('user').describe('Who is behind it: a person or a service.'),
    administrator: administrator
      .default(false)
      .describe('May hold admin hub tokens, which manage this directory.'),
    disabled: disabled.default(false).describe('A disabled account can do nothing.'),
  }),
  output: account,
  async run(work, input) {
    const { tables, actor } = work
    const beyond = input.administrator ? refuseTouchingAdministrator(actor) : undefined
    if (beyond !== undefined) return beyond
    const taken = await findSimilarAccount(tables, input.name)
    if (taken !== undefined) return accountTaken(taken.name)
    const row = newAccountRow(work, input)
    await tables.insertInto('accounts').values(row).execute()
    return showAccount(row)
  },
})

export const showOneAccount = operation({
  summary: 'Show one account.',
  input: z.strictObject({ account: namedAccount }),
  output: account,
  async run({ tables }, input) {
    const row = await findAccount(tables, input.account)
    return row === undefined ? noAccount(input.account) : showAccount(row)
  },
})

export const listAccounts = operation({
  summary: 'List the accounts by name.',
  input: z.strictObject({ ...paging }),
  output: pageOf(account),
  async run({ tables }, { limit, after = '' }) {
    const rows = await tables
      .selectFrom('accounts')
      .selectAll()
      .where('name', '>', after)
      .orderBy('name')
      .limit(limit + 1)
      .execute()
    const total = await countOf(tables.selectFrom('accounts'))
    return makePage({ rows, total, limit }, showAccount, (row) => row.name)
  },
})

export const setAccount = operation({
  summary: 'Change an account; what is not named stays as it is.',
  input: z.strictObject({
    account: namedAccount,
    kind: accountKind.optional().describe('Who is behind it: a person or a service.'),
    administrator: administrator
      .optional()
      .describe('May hold admin hub tokens, which manage this directory.'),
    disabled: disabled
      .optional()
      .describe('A disabled account can do nothing until it is enabled again.'),
  }),
  output: account,
  async run(work, { account, ...wanted }) {
    const { tables, actor } = work
    const row = await findAccount(tables, account)
    if (row === undefined) return noAccount(account)
    const touches = row.administrator === 1 || wanted.administrator === true
    const beyond = touches ? refuseTouchingAdministrator(actor) : undefined
    if (beyond !== undefined) return beyond
    const changed = changedAccountRow(row, wanted)
    const revives = await refuseRevivingHubTokens(work, row, changed)
    if (revives !== undefined) return revives
    await tables.updateTable('accounts').set(changed).where('id', '=', row.id).execute()
    return showAccount(changed)
  },
})

export const deleteAccount = operation({
  summary: 'Delete an account with its memberships and hub tokens.',
  input: z.strictObject({ account: namedAccount }),
  output: z.object({ deleted: z.string().describe('The account that is gone.') }),
  async run({ tables, actor }, input) {
    const row = await findAccount(tables, input.account)
    if (row === undefined) return noAccount(input.account)
    const beyond = row.administrator === 1 ? refuseTouchingAdministrator(actor) : undefined
    if (beyond !== undefined) return beyond
    await tables.deleteFrom('accounts').where('id', '=', row.id).execute()
    return { deleted: row.name }
  },
})

function showAccount(row: AccountRow): z.input<typeof account> {
  return {
    id: row.id,
    name: row.name,
    kind: accountKind.parse(row.kind),
    administrator: row.administrator === 1,
    disabled: row.disabled === 1,
    createdAt: formatTime(row.created_at as UnixSeconds),
  }
}
