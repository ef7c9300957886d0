/** Identities of providers: a person who signs in by one is the account that it is linked to. */

import { formatTime, refuse, type UnixSeconds } from '@latchkey/protocol'
import { countOf, type OwnedHubTokenRow } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'
import { endSessionsOf, endSignInsBy } from '../tables/end-sign-ins.ts'
import type { IdentityRow } from '../tables/rows.ts'
import { findAccount, noAccount } from './accounts.ts'
import { refuseBeyondOwnEnd, refuseTouchingAdministrator } from './administrators.ts'
import { type Does, makePage } from './does.ts'
import { refusePublisherAccount } from './publisher-account.ts'

/** It is as much as a hub token without an end. */
export const linkAccount: Does<'account link'> = async (work, { account: name, ...wish }) => {
  const { tables, actor, put, now } = work
  const account = await findAccount(tables, name)
  if (account === undefined) return noAccount(name)
  const touches = account.administrator === 1 ? refuseTouchingAdministrator(actor) : undefined
  const beyond = touches ?? refuseBeyondOwnEnd(actor, null)
  if (beyond !== undefined) return beyond
  const managed = await refusePublisherAccount(tables, account)
  if (managed !== undefined) return managed
  const linked = await findIdentity(tables, wish)
  if (linked !== undefined) {
    return refuse(
      'conflict',
      `This identity is linked to the account "${linked.account}". Unlink it there first.`,
      { next: ['identity', 'list', linked.account] },
    )
  }
  const row: IdentityRow = { ...wish, account_id: account.id, created_at: now }
  await put([{ thing: 'identity', after: row, account }])
  return shownIdentity({ ...row, account: account.name })
}

export const unlinkAccount: Does<'account unlink'> = async (work, { account: name, ...wish }) => {
  const { tables, actor, put, now } = work
  const account = await findAccount(tables, name)
  if (account === undefined) return noAccount(name)
  const beyond = account.administrator === 1 ? refuseTouchingAdministrator(actor) : undefined
  if (beyond !== undefined) return beyond
  const linked = await findIdentity(tables, wish)
  if (linked === undefined || linked.account_id !== account.id) {
    return refuse(
      'resource_not_found',
      `The account "${name}" is not linked to this identity. List the identities of the account.`,
      { next: ['identity', 'list', name] },
    )
  }
  const { account: _, ...before } = linked
  const ended = await endSessionsOf(tables, { accountId: account.id, now })
  await put([{ thing: 'identity', before, account }, ...ended])
  return shownIdentity(linked)
}

/** Also where the provider is not configured any more, or its accounts are linked to another one as well. */
export const endIdentities: Does<'identity end'> = async (work, { provider }) => {
  const { tables, actor, put, now } = work
  const ended = await endSignInsBy(tables, { provider, now })
  const { sessions, families, memberships } = ended
  const beyond = (await hasAdministrator(tables, [...ended.hubTokens, ...memberships]))
    ? refuseTouchingAdministrator(actor)
    : undefined
  if (beyond !== undefined) return beyond
  await put(ended.changes)
  return {
    provider,
    sessions: sessions.length,
    deviceLogins: families.length,
    memberships: memberships.length,
  }
}

async function hasAdministrator(
  tables: Reading,
  owned: readonly Pick<OwnedHubTokenRow, 'account_id'>[],
): Promise<boolean> {
  const administrators = await tables
    .selectFrom('accounts')
    .select('id')
    .where('administrator', '=', 1)
    .execute()
  const ids = new Set(administrators.map(({ id }) => id))
  return owned.some(({ account_id }) => ids.has(account_id))
}

export const listIdentities: Does<'identity list'> = async ({ tables }, input) => {
  const account = await findAccount(tables, input.account)
  if (account === undefined) return noAccount(input.account)
  const own = tables.selectFrom('identities').where('account_id', '=', account.id)
  const { limit, after = '' } = input
  const rows = await own
    .selectAll()
    .where('subject', '>', after)
    .orderBy('subject')
    .limit(limit + 1)
    .execute()
  const show = (row: IdentityRow) => shownIdentity({ ...row, account: account.name })
  return makePage({ rows, total: await countOf(own), limit }, show, ({ subject }) => subject)
}

type OwnedIdentity = IdentityRow & { readonly account: string }

function findIdentity(
  tables: Reading,
  { issuer, subject }: Pick<IdentityRow, 'issuer' | 'subject'>,
): Promise<OwnedIdentity | undefined> {
  return tables
    .selectFrom('identities')
    .innerJoin('accounts', 'accounts.id', 'identities.account_id')
    .selectAll('identities')
    .select('accounts.name as account')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
}

function shownIdentity({ account, provider, issuer, subject, created_at }: OwnedIdentity) {
  return {
    ...{ account, provider, issuer, subject },
    createdAt: formatTime(created_at as UnixSeconds),
  }
}
