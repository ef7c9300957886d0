/** Hub tokens: made with a secret that is shown once, changed, revoked, never deleted. */

import { type Refusal, refuse } from '@latchkey/protocol'
import { z } from 'zod'
import { findAccount, noAccount } from './account-rows.ts'
import { refuseBeyondOwnGroups } from './administrators.ts'
import { countOf, sameName } from './columns.ts'
import { expiry, grants } from './grants.ts'
import { refuseChangingHubToken, refuseMakingHubToken } from './hub-token-reach.ts'
import {
  changedHubTokenRow,
  checkHubToken,
  checkNewHubToken,
  type HubTokenRow,
  makeHubTokenRow,
} from './hub-token-rows.ts'
import {
  findHubToken,
  groupsOf,
  hubToken,
  hubTokenId,
  hubTokenKind,
  noHubToken,
  showHubToken,
} from './hub-token-view.ts'
import { operation } from './operation.ts'
import { makePage, pageOf, paging } from './page.ts'
import { rememberPrefix } from './prefixes.ts'
import { mistake } from './read-input.ts'
import { shownOnce } from './show-once.ts'
import { verbGroups } from './verb.ts'
import { name } from './words.ts'

export const groups = z.array(z.enum(verbGroups)).min(1).max(verbGroups.length)

const namedToken = hubTokenId.describe('The id of the hub token, as the list shows it.')
const described = {
  grants: grants
    .optional()
    .describe('For fine-grained: where it may read or write; replaces what it carried.'),
  verbGroups: groups
    .optional()
    .describe('For admin: the verb groups it is limited to; without them it may do everything.'),
  expiresAt: expiry
    .optional()
    .describe('When it ends: a time with its zone such as 2027-01-01T00:00:00Z, or never.'),
}

export const createHubToken = operation({
  summary: 'Make a hub token for an account; its secret is shown this once.',
  input: z.strictObject({
    account: name.describe('The account that the hub token speaks for.'),
    name: name.describe('What the account calls it, such as laptop or ci.'),
    kind: hubTokenKind.describe(
      'read or write: wherever the account may; fine-grained: what its grants say; admin: this directory.',
    ),
    ...described,
  }),
  output: hubToken.extend({
    token: shownOnce.describe('The hub token itself. It is not stored and not shown again.'),
  }),
  async run(work, { account, ...wish }) {
    const { tables, actor } = work
    const owner = await findAccount(tables, account)
    if (owner === undefined) return noAccount(account)
    const beyond = refuseMakingHubToken(actor, wish)
    if (beyond !== undefined) return beyond
    const wrong = checkNewHubToken(work, owner, wish)
    if (wrong !== undefined) return wrong
    const live = tables.selectFrom('hub_tokens').where('revoked_at', 'is', null)
    const taken = live.where('account_id', '=', owner.id).where(sameName(wish.name))
    if ((await countOf(taken)) > 0) return nameTaken(wish.name, account)
    const { row, token } = makeHubTokenRow(work, owner, wish)
    await rememberPrefix(work)
    await tables.insertInto('hub_tokens').values(row).execute()
    return { ...showHubToken({ ...row, account: owner.name }), token }
  },
})

export const showOneHubToken = operation({
  summary: 'Show one hub token, without its secret.',
  input: z.strictObject({ hubToken: namedToken }),
  output: hubToken,
  async run({ tables }, input) {
    const row = await findHubToken(tables, input.hubToken)
    return row === undefined ? noHubToken() : showHubToken(row)
  },
})

export const listHubTokens = operation({
  summary: 'List hub tokens, the oldest first, without their secrets.',
  input: z.strictObject({
    account: name.optional().describe('Only the hub tokens of this account.'),
    state: z
      .enum(['live', 'revoked', 'all'])
      .default('live')
      .describe('live: not revoked; revoked: only those; all: both.'),
    ...paging,
  }),
  output: pageOf(hubToken),
  async run({ tables }, { account, state, limit, after }) {
    const cursor = after === undefined ? beforeAll : readCursor(after)
    if (cursor === undefined) return noCursor()
    const owner = account === undefined ? undefined : await findAccount(tables, account)
    if (account !== undefined && owner === undefined) return noAccount(account)
    const all = tables
      .selectFrom('hub_tokens')
      .innerJoin('accounts', 'accounts.id', 'hub_tokens.account_id')
      .$if(owner !== undefined, (some) => some.where('account_id', '=', owner?.id ?? ''))
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
    return makePage({ rows, total: await countOf(all), limit }, showHubToken, formatCursor)
  },
})

export const setHubToken = operation({
  summary: 'Change what a hub token carries or when it ends; its secret stays.',
  input: z.strictObject({ hubToken: namedToken, ...described }),
  output: hubToken,
  async run(work, { hubToken, ...wish }) {
    const { tables, actor } = work
    const row = await findHubToken(tables, hubToken)
    if (row === undefined) return noHubToken()
    if (row.revoked_at !== null) return alreadyRevoked()
    const changed = changedHubTokenRow(row, wish)
    const wrong = checkHubToken(work, row.kind, wish)
    if (wrong !== undefined) return wrong
    const beyond = refuseChangingHubToken(actor, row, changed)
    if (beyond !== undefined) return beyond
    const { grants, verb_groups, expires_at } = changed
    await tables
      .updateTable('hub_tokens')
      .set({ grants, verb_groups, expires_at })
      .where('id', '=', row.id)
      .execute()
    return showHubToken({ ...changed, account: row.account })
  },
})

export const revokeHubToken = operation({
  summary: 'Revoke a hub token for good; what was revoked stays revoked.',
  input: z.strictObject({ hubToken: namedToken }),
  output: hubToken,
  async run({ tables, now, actor }, input) {
    const row = await findHubToken(tables, input.hubToken)
    if (row === undefined) return noHubToken()
    const isOther = row.kind === 'admin' && row.id !== actor?.hubTokenId
    const beyond = isOther ? refuseBeyondOwnGroups(actor, groupsOf(row)) : undefined
    if (beyond !== undefined) return beyond
    const revoked_at = row.revoked_at ?? now
    await tables.updateTable('hub_tokens').set({ revoked_at }).where('id', '=', row.id).execute()
    return showHubToken({ ...row, revoked_at })
  },
})

function alreadyRevoked(): Refusal {
  return refuse(
    'conflict',
    'This hub token is revoked, which is final. Create a new one in its place.',
  )
}

function nameTaken(name: string, account: string): Refusal {
  return refuse(
    'conflict',
    `The account "${account}" has a hub token "${name}" already. Choose another name, or revoke that one first.`,
  )
}

/** A place in the list: a name does not tell it, because names repeat. */
interface Cursor {
  readonly createdAt: number
  readonly id: string
}

const beforeAll: Cursor = { createdAt: -1, id: '' }

function formatCursor({ created_at, id }: HubTokenRow): string {
  return `${created_at}.${id}`
}

function readCursor(after: string): Cursor | undefined {
  const [, createdAt, id] = /^(\d{1,15})\.([a-z2-7]{26})$/.exec(after) ?? []
  return createdAt === undefined || id === undefined
    ? undefined
    : { createdAt: Number(createdAt), id }
}

function noCursor(): Refusal {
  return mistake(['after'], 'must be the "next" of the page before, as the list gave it')
}
