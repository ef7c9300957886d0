/** Hub tokens: made with a secret that is shown once, changed, revoked, never deleted. */

import { mistake } from '@latchkey/admin-api'
import {
  type HubTokenId,
  noAccountId,
  noHubTokenId,
  parseHubTokenId,
  type Refusal,
  refuse,
} from '@latchkey/protocol'
import { countOf, type OwnedHubTokenRow, sameName, splitOwned } from '../tables/columns.ts'
import type { HubTokenRow } from '../tables/rows.ts'
import { findAccount, noAccount } from './accounts.ts'
import { exceedsRoles, refuseBeyondOwnGroups } from './administrators.ts'
import { type Does, makePage } from './does.ts'
import {
  changedHubTokenRow,
  checkHubToken,
  checkNewHubToken,
  makeHubTokenRow,
  prefixChange,
} from './hub-token-rows.ts'
import {
  findHubToken,
  groupsOf,
  noHubToken,
  refuseChangingHubToken,
  refuseMakingHubToken,
  shownHubToken,
} from './hub-token-view.ts'
import { refusePublisherAccount } from './publisher-account.ts'

export const createHubToken: Does<'hub-token create'> = async (work, { account, ...wish }) => {
  const { tables, actor, put } = work
  const owner = await findAccount(tables, account)
  if (owner === undefined) return noAccount(account)
  const beyond = (await refusePublisherAccount(tables, owner)) ?? refuseMakingHubToken(actor, wish)
  if (beyond !== undefined) return beyond
  const wrong = await checkNewHubToken(work, owner, wish)
  if (wrong !== undefined) return wrong
  const live = tables.selectFrom('hub_tokens').where('revoked_at', 'is', null)
  const sameNameToken = await live
    .select(['id', 'name'])
    .where('account_id', '=', owner.id)
    .where(sameName(wish.name))
    .executeTakeFirst()
  if (sameNameToken !== undefined) return nameTaken(sameNameToken, account)
  const { row, token } = makeHubTokenRow(work, owner, wish)
  const prefix = await prefixChange(work)
  await put([...prefix, { thing: 'hub-token', after: row, account: owner }])
  return { ...shownHubToken({ ...row, account: owner.name }), token }
}

export const showHubToken: Does<'hub-token show'> = async ({ tables }, input) => {
  const row = await findHubToken(tables, input.hubToken)
  return row === undefined ? noHubToken() : shownHubToken(row)
}

export const listHubTokens: Does<'hub-token list'> = async ({ tables }, input) => {
  const { account, state, hint, limit, after } = input
  const cursor = after === undefined ? beforeAll : readCursor(after)
  if (cursor === undefined) return noCursor()
  const owner = account === undefined ? undefined : await findAccount(tables, account)
  if (account !== undefined && owner === undefined) return noAccount(account)
  const all = tables
    .selectFrom('hub_tokens')
    .innerJoin('accounts', 'accounts.id', 'hub_tokens.account_id')
    .$if(owner !== undefined, (some) => some.where('account_id', '=', owner?.id ?? noAccountId))
    .$if(hint !== undefined, (some) => some.where('hint', '=', hint ?? ''))
    .$if(state === 'live', (some) => some.where('revoked_at', 'is', null))
    .$if(state === 'revoked', (some) => some.where('revoked_at', 'is not', null))
  const rows = await all
    .selectAll('hub_tokens')
    .select('accounts.name as account')
    .where(({ eb, and, or }) =>
      or([
        eb('hub_tokens.created_at', '>', cursor.createdAt),
        and([
          eb('hub_tokens.created_at', '=', cursor.createdAt),
          eb('hub_tokens.id', '>', cursor.id),
        ]),
      ]),
    )
    .orderBy('hub_tokens.created_at')
    .orderBy('hub_tokens.id')
    .limit(limit + 1)
    .execute()
  return makePage({ rows, total: await countOf(all), limit }, shownHubToken, formatCursor)
}

export const setHubToken: Does<'hub-token set'> = async (work, { hubToken, ...wish }) => {
  const { tables, actor, put } = work
  const found = await findHubToken(tables, hubToken)
  if (found === undefined) return noHubToken()
  if (found.revoked_at !== null) return alreadyRevoked(found)
  const { row, account } = splitOwned(found)
  const changed = changedHubTokenRow(row, wish)
  const wrong = checkHubToken(work, row.kind, wish)
  if (wrong !== undefined) return wrong
  const owner = await findAccount(tables, account.name)
  const managed = owner && (await refusePublisherAccount(tables, owner))
  const beyond = managed ?? refuseChangingHubToken(actor, row, changed)
  if (beyond !== undefined) return beyond
  await put([{ thing: 'hub-token', before: row, after: changed, account }])
  return shownHubToken({ ...changed, account: account.name })
}

export const revokeHubToken: Does<'hub-token revoke'> = async (work, input) => {
  const { tables, now, actor, put } = work
  const found = await findHubToken(tables, input.hubToken)
  if (found === undefined) return noHubToken()
  const { row, account } = splitOwned(found)
  const isOther = exceedsRoles(row.kind) && row.id !== actor?.hubTokenId
  const beyond = isOther ? refuseBeyondOwnGroups(actor, groupsOf(row)) : undefined
  if (beyond !== undefined) return beyond
  const revoked = { ...row, revoked_at: row.revoked_at ?? now }
  await put([{ thing: 'hub-token', before: row, after: revoked, account }])
  return shownHubToken({ ...revoked, account: account.name })
}

function alreadyRevoked({ account, name, kind }: OwnedHubTokenRow): Refusal {
  return refuse(
    'conflict',
    'This hub token is revoked, which is final. Create a new one in its place.',
    { next: ['hub-token', 'create', account, name, '--kind', kind] },
  )
}

function nameTaken({ id, name }: Pick<HubTokenRow, 'id' | 'name'>, account: string): Refusal {
  return refuse(
    'conflict',
    `The account "${account}" has a hub token "${name}" already. Choose another name, or revoke that one first.`,
    { next: ['hub-token', 'show', id] },
  )
}

/** A place in the list: a name does not tell it, because names repeat. */
interface Cursor {
  readonly createdAt: number
  readonly id: HubTokenId
}

const beforeAll: Cursor = { createdAt: -1, id: noHubTokenId }

function formatCursor({ created_at, id }: HubTokenRow): string {
  return `${created_at}.${id}`
}

function readCursor(after: string): Cursor | undefined {
  const [, createdAt, text = ''] = /^(\d{1,15})\.(.*)$/.exec(after) ?? []
  const id = parseHubTokenId(text)
  return createdAt === undefined || id === undefined
    ? undefined
    : { createdAt: Number(createdAt), id }
}

function noCursor(): Refusal {
  return mistake(['after'], 'must be the "next" of the page before, as the list gave it')
}
