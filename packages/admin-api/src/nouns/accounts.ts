import { z } from 'zod'
import { accountKind, moment, name, pageOf, paging } from '../input/words.ts'
import { says } from './says.ts'

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

export const createAccount = says({
  summary: 'Create an account for a person or a service.',
  input: z.strictObject({
    name: name.describe('The name of the new account, unique ignoring case.'),
    kind: accountKind
      .default('user')
      .describe('The kind of the account: user (a person) or service.'),
    administrator: administrator
      .default(false)
      .describe('Can have admin hub tokens, which manage this hub.'),
    disabled: disabled.default(false).describe('A disabled account cannot use the hub.'),
  }),
  output: account,
})

export const showAccount = says({
  summary: 'Show one account.',
  input: z.strictObject({ account: namedAccount }),
  output: account,
})

export const listAccounts = says({
  summary: 'List the accounts by name.',
  input: z.strictObject({ ...paging }),
  output: pageOf(account),
})

export const setAccount = says({
  summary: 'Change an account; options that you leave out stay unchanged.',
  input: z.strictObject({
    account: namedAccount,
    kind: accountKind.optional().describe('The kind of the account: user (a person) or service.'),
    administrator: administrator
      .optional()
      .describe('Can have admin hub tokens, which manage this hub.'),
    disabled: disabled
      .optional()
      .describe('A disabled account cannot use the hub until it is enabled again.'),
  }),
  output: account,
})

export const deleteAccount = says({
  summary: 'Delete an account with its memberships and hub tokens.',
  input: z.strictObject({ account: namedAccount }),
  output: z.object({ deleted: z.string().describe('The deleted account.') }),
})
