/** Refresh tokens of providers, as rows: one for each identity, sealed, with the time to ask again. */

import { isRefusal, type Secret, unixSeconds } from '@latchkey/protocol'
import type { MasterKey } from '../keys/master-key.ts'
import { sealProviderToken } from '../keys/seal.ts'
import type { Directory, Reading, Tables } from '../tables/directory.ts'
import { liveFamiliesBy } from '../tables/end-sign-ins.ts'
import type { AccountRow, ProviderTokenRow } from '../tables/rows.ts'
import { liveSessions } from './open-session.ts'

export type ProviderToken = Secret<'provider-token'>
type Person = Pick<ProviderTokenRow, 'provider' | 'issuer' | 'subject'>

interface Kept {
  readonly token: ProviderToken
  readonly masterKey: MasterKey
  readonly askAt: number
}

/** Replaces the one of before, which is dead or belongs to an older sign-in. */
export async function keepProviderToken(
  tables: Tables,
  { provider, issuer, subject }: Person,
  { token, masterKey, askAt }: Kept,
): Promise<void> {
  const sealed = sealProviderToken(token, masterKey, { provider, issuer, subject })
  await tables
    .insertInto('provider_tokens')
    .values({ provider, issuer, subject, sealed, ask_at: askAt })
    .onConflict((row) =>
      row.columns(['issuer', 'subject']).doUpdateSet({ provider, sealed, ask_at: askAt }),
    )
    .execute()
}

/** From then on only a sign-in renews the memberships of the person. */
export async function deleteProviderToken(
  tables: Tables,
  { issuer, subject }: Omit<Person, 'provider'>,
): Promise<void> {
  await tables
    .deleteFrom('provider_tokens')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .execute()
}

/** Whether it is the one that was claimed: a sign-in may have replaced it, or another hub may have asked. */
export async function isStillClaimed(
  tables: Reading,
  { issuer, subject, sealed, ask_at }: ProviderTokenRow,
): Promise<boolean> {
  const row = await tables
    .selectFrom('provider_tokens')
    .select(['sealed', 'ask_at'])
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row?.sealed === sealed && row.ask_at === ask_at
}

export interface DueToken extends ProviderTokenRow {
  readonly account: Pick<AccountRow, 'id' | 'name'>
}

interface Claim {
  readonly now: number
  /** No process asks with these again before then. */
  readonly askAt: number
  readonly most: number
  /** By name: some. */
  readonly providers: readonly string[]
}

export interface ClaimedTokens {
  readonly tokens: readonly DueToken[]
  readonly isMore: boolean
}

export async function isAnyDue(directory: Pick<Directory, 'readBeside'>, now: number) {
  const row = await directory.readBeside((tables) =>
    tables
      .selectFrom('provider_tokens')
      .select('ask_at')
      .where('ask_at', '<=', now)
      .limit(1)
      .executeTakeFirst(),
  )
  return row !== undefined
}

/**
 * Takes some of those that are due, so that no other process asks with them: a provider may take a second use for theft.
 * The token of a person who is signed in nowhere is deleted.
 */
export async function claimDueTokens(
  directory: Pick<Directory, 'note'>,
  { now, askAt, most, providers }: Claim,
): Promise<ClaimedTokens> {
  const claimed = await directory.note('provider token', async ({ tables }) => {
    const rows = await dueTokens(tables, now)
      .where('provider_tokens.provider', 'in', providers)
      .limit(most)
      .execute()
    const tokens: DueToken[] = []
    for (const { account_id: id, account: name, disabled, ...row } of rows) {
      const account = { id, name }
      if (disabled === 1 || !(await isSignedIn(tables, { account, provider: row.provider, now }))) {
        await deleteProviderToken(tables, row)
        continue
      }
      await tables
        .updateTable('provider_tokens')
        .set({ ask_at: askAt })
        .where('issuer', '=', row.issuer)
        .where('subject', '=', row.subject)
        .execute()
      tokens.push({ ...row, ask_at: askAt, account })
    }
    return { tokens, isMore: rows.length === most }
  })
  return isRefusal(claimed) ? { tokens: [], isMore: false } : claimed
}

function dueTokens(tables: Reading, now: number) {
  return tables
    .selectFrom('provider_tokens')
    .innerJoin('identities', (join) =>
      join
        .onRef('identities.issuer', '=', 'provider_tokens.issuer')
        .onRef('identities.subject', '=', 'provider_tokens.subject'),
    )
    .innerJoin('accounts', 'accounts.id', 'identities.account_id')
    .selectAll('provider_tokens')
    .select(['accounts.id as account_id', 'accounts.name as account', 'accounts.disabled'])
    .where('provider_tokens.ask_at', '<=', now)
    .orderBy('provider_tokens.ask_at')
    .orderBy('provider_tokens.issuer')
    .orderBy('provider_tokens.subject')
}

interface SignedIn {
  readonly account: Pick<AccountRow, 'id'>
  readonly provider: string
  readonly now: number
}

/** By this provider: in a browser, or on a device. */
async function isSignedIn(tables: Reading, { account, provider, now }: SignedIn): Promise<boolean> {
  const session = await liveSessions(tables, account.id, unixSeconds(now))
    .where('sessions.provider', '=', provider)
    .limit(1)
    .executeTakeFirst()
  if (session !== undefined) return true
  return (await liveFamiliesBy(tables, { provider, now, accountId: account.id })).length > 0
}
