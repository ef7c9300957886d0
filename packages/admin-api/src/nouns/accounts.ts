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

const issuer = z
  .url({ protocol: /^https?$/ })
  .max(1024)
  .describe('The issuer of the identity provider.')
const subject = z
  .string()
  .min(1)
  .max(255)
  .describe('The subject (sub) under which the provider knows the person.')
const identity = z.object({
  account: z.string(),
  provider: z.string(),
  issuer: z.string(),
  subject: z.string(),
  createdAt: moment,
})

export const linkAccount = says({
  summary: 'Let a person of an identity provider sign in as an account.',
  input: z.strictObject({
    account: namedAccount,
    provider: name.describe('The name of the identity provider in the configuration.'),
    issuer,
    subject,
  }),
  output: identity,
})

export const unlinkAccount = says({
  summary: 'Take the sign-in by an identity provider from an account, and end its sessions.',
  input: z.strictObject({ account: namedAccount, issuer, subject }),
  output: identity,
})

export const endIdentities = says({
  summary: 'End all sessions, device logins and memberships that come from an identity provider.',
  input: z.strictObject({
    provider: name.describe('The name of the identity provider, also of one that was removed.'),
  }),
  output: z.object({
    provider: z.string(),
    sessions: z.int().describe('How many sessions it ended.'),
    deviceLogins: z.int().describe('How many device logins it ended.'),
    memberships: z.int().describe('How many memberships in teams it ended.'),
  }),
})

export const listIdentities = says({
  summary: 'List the identities that sign in as an account.',
  input: z.strictObject({ account: namedAccount, ...paging }),
  output: pageOf(identity),
})
