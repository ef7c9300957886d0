/**
 * A device that is signed in: its hub tokens, and the refresh token that changes at each use. It is over at its end, and
 * once any hub token of it is revoked, by whom ever: so no list of its own says so, and no way to revoke misses it.
 */

import {
  type AccountId,
  type HubTokenId,
  type Secret,
  type UnixSeconds,
  unixSeconds,
} from '@latchkey/protocol'
import { newId, type RandomBytes } from '@latchkey/service/machine/random'
import { sql } from 'kysely'
import { makeRefreshToken } from '../identity/device-credentials.ts'
import { hashHubToken } from '../identity/hub-token.ts'
import type { Change, Origin } from '../tables/change.ts'
import { countOf, revokeOwned, splitOwned } from '../tables/columns.ts'
import {
  familySeconds,
  liveTokensOfFamilies,
  repeatSeconds,
  tokensOfFamily,
} from '../tables/device-tokens.ts'
import type { BookkeepingTransaction, Directory, Reading } from '../tables/directory.ts'
import type { AccountRow, DeviceFamilyRow, RefreshRow } from '../tables/rows.ts'
import { makeHubTokenRow, prefixChange } from '../verbs/hub-token-rows.ts'
import { openPair, sealPair, type TokenPair } from './sealed-answer.ts'

export const accessTokenSeconds: number = 7 * 86_400
/** A refresh leaves those before it alive, because uploads that run hold them. */
const maxLiveTokens = 3
/** Clients refresh every few days. Two processes that race get the same answer, so they need no more. */
const refreshSeconds = 60
const daySeconds = 86_400
const maxRefreshesOfDay = 48
/** The one that was refreshed longest ago ends where a sign-in would be one too many. */
export const maxFamiliesOfAccount = 100

export interface FamilyWork {
  readonly transaction: BookkeepingTransaction
  readonly now: UnixSeconds
  readonly randomBytes: RandomBytes
  readonly hubTokenPrefix: string
}

export interface FamilyStart {
  readonly account: AccountRow
  readonly family: Omit<DeviceFamilyRow, 'id' | 'created_at' | 'expires_at'>
  /** The end of the sign-in behind it; null where that has none. */
  readonly endsAt: number | null
  readonly origin: Origin
}

export async function startFamily(
  work: FamilyWork,
  { account, family, endsAt, origin }: FamilyStart,
): Promise<TokenPair> {
  const { transaction, now, randomBytes } = work
  const end = now + familySeconds
  const row: DeviceFamilyRow = {
    ...family,
    id: newId<HubTokenId>(randomBytes),
    created_at: now,
    expires_at: Math.min(end, endsAt ?? end),
  }
  await endOldest(work, account, origin)
  await transaction.tables.insertInto('device_families').values(row).execute()
  return issuePair(work, { account, family: row, origin })
}

async function endOldest(
  { transaction: { tables, putAs }, now }: FamilyWork,
  account: AccountRow,
  origin: Origin,
): Promise<void> {
  const live = await tables
    .selectFrom('device_families')
    .innerJoin('refresh_tokens', 'refresh_tokens.family_id', 'device_families.id')
    .innerJoin('hub_tokens', 'hub_tokens.id', 'refresh_tokens.hub_token_id')
    .select('device_families.id')
    .where('device_families.account_id', '=', account.id)
    .where('device_families.expires_at', '>', now)
    .groupBy('device_families.id')
    .having(({ fn, eb }) => eb(fn.count('hub_tokens.revoked_at'), '=', 0))
    .orderBy(({ fn }) => fn.max('refresh_tokens.created_at'), 'desc')
    .orderBy('device_families.id')
    .execute()
  const ended = live.slice(maxFamiliesOfAccount - 1).map(({ id }) => id)
  const tokens = await liveTokensOfFamilies(tables, ended)
  await putAs(origin)(tokens.map((owned) => revokeOwned(owned, now)))
}

interface Issue {
  readonly account: AccountRow
  readonly family: DeviceFamilyRow
  readonly origin: Origin
}

async function issuePair(work: FamilyWork, { account, family, origin }: Issue): Promise<TokenPair> {
  const { transaction, now, randomBytes } = work
  const { tables, putAs } = transaction
  const expiresAt = Math.min(now + accessTokenSeconds, family.expires_at)
  const id = newId<HubTokenId>(randomBytes)
  const made = makeHubTokenRow({ ...work, tables }, account, {
    origin: 'device',
    name: `${wordOf(family)}-${id.slice(0, 8)}`,
    kind: family.scope,
    expiresAt: { at: unixSeconds(expiresAt) },
  })
  const live = await liveTokensOf(work, family.id)
  const tooMany = live.slice(0, Math.max(0, live.length + 1 - maxLiveTokens))
  const ended = tooMany.map((owned): Change => {
    const { row, account } = splitOwned(owned)
    return { thing: 'hub-token', before: row, after: { ...row, expires_at: now }, account }
  })
  const prefix = await prefixChange({ ...work, tables })
  await putAs(origin)([...prefix, ...ended, { thing: 'hub-token', after: made.row, account }])
  const refreshToken = makeRefreshToken(randomBytes)
  await tables
    .insertInto('refresh_tokens')
    .values({
      secret_hash: hashHubToken(refreshToken),
      family_id: family.id,
      hub_token_id: made.row.id,
      created_at: now,
      used_at: null,
      sealed: null,
    })
    .execute()
  const { scope } = family
  return { accessToken: made.token, refreshToken, expiresAt: unixSeconds(expiresAt), scope }
}

/** For the list of hub tokens: `hf` or `latchkey`. */
function wordOf({ program }: DeviceFamilyRow): string {
  return /^[A-Za-z][A-Za-z0-9]{0,31}/.exec(program)?.[0] ?? 'device'
}

/** The oldest first. */
function liveTokensOf({ transaction, now }: FamilyWork, familyId: string) {
  return (
    tokensOfFamily(transaction.tables, familyId)
      .where('hub_tokens.expires_at', '>', now)
      .where('hub_tokens.revoked_at', 'is', null)
      .orderBy('hub_tokens.created_at')
      // Of one second, the one whose refresh token still counts is the newest.
      .orderBy(sql`case when refresh_tokens.used_at is null then 1 else 0 end`)
      .execute()
  )
}

/** Gives the pair that a refresh token was exchanged for. */
export interface RefreshedPair {
  readonly outcome: 'rotated' | 'repeated'
  readonly pair: TokenPair
  readonly caller: FamilyCaller
}

/** It still counts, and the client may send it again later. */
export interface EarlyRefresh {
  readonly outcome: 'too soon'
  readonly caller: FamilyCaller
}

/** The refresh token is dead for ever. `reused`: it was used before, so the device was revoked. */
export interface DeadRefresh {
  readonly outcome: 'dead' | 'reused'
  readonly caller?: FamilyCaller | undefined
}

export interface FamilyCaller {
  readonly accountId: AccountId
  readonly accountName: string
  readonly hubTokenId: HubTokenId
}

export interface RefreshDeps {
  readonly directory: Directory
  readonly randomBytes: RandomBytes
  readonly hubTokenPrefix: string
}

export interface RefreshRequest {
  readonly refreshToken: Secret<'refresh-token'>
  readonly clientId: string
  readonly now: UnixSeconds
  readonly requestId: string
}

/** One transaction, and the journal lets in one at a time: of two processes with one refresh token the second gets the answer of the first. */
export async function refresh(
  { directory, ...making }: RefreshDeps,
  request: RefreshRequest,
): Promise<RefreshedPair | EarlyRefresh | DeadRefresh> {
  const { refreshToken, clientId, now, requestId } = request
  const hash = hashHubToken(refreshToken)
  // Without a lock: whoever sends texts that were never ours delays no writer.
  const found = await directory.readBeside((tables) => findRefresh(tables, hash))
  if (found === undefined) return { outcome: 'dead' }
  const result = await directory.note('refresh token', async (transaction) => {
    const { tables } = transaction
    const row = await findRefresh(tables, hash)
    if (row === undefined) return dead(undefined)
    const { account, family } = await ownersOf(tables, row.family_id)
    const caller = {
      accountId: account.id,
      accountName: account.name,
      hubTokenId: row.hub_token_id,
    }
    const isOver = family.expires_at <= now || (await isRevoked(tables, family.id))
    if (family.client_id !== clientId || account.disabled === 1 || isOver) return dead(caller)
    const origin = { verb: refreshVerb, actor: caller, requestId }
    if (row.used_at === null) {
      if (await isTooSoon(tables, row, now)) return { outcome: 'too soon', caller } as const
      const work = { ...making, transaction, now }
      const pair = await issuePair(work, { account, family, origin })
      await tables
        .updateTable('refresh_tokens')
        .set({ used_at: now, sealed: sealPair(pair, refreshToken) })
        .where('secret_hash', '=', hash)
        .execute()
      return { outcome: 'rotated', pair, caller } as const
    }
    if (row.sealed !== null && now < row.used_at + repeatSeconds) {
      return { outcome: 'repeated', pair: openPair(row.sealed, refreshToken), caller } as const
    }
    const live = await liveTokensOfFamilies(tables, [family.id])
    await transaction.putAs(origin)(live.map((owned) => revokeOwned(owned, now)))
    return { outcome: 'reused', caller } as const
  })
  return result as RefreshedPair | EarlyRefresh | DeadRefresh
}

/** Each refresh is a hub token, its row and its entries. */
async function isTooSoon(
  tables: Reading,
  { family_id }: Pick<RefreshRow, 'family_id'>,
  now: UnixSeconds,
): Promise<boolean> {
  const ofFamily = tables.selectFrom('refresh_tokens').where('family_id', '=', family_id)
  const ofMinute = ofFamily.where('used_at', '>', now - refreshSeconds)
  if ((await countOf(ofMinute)) > 0) return true
  const ofDay = ofFamily.where('created_at', '>', now - daySeconds)
  return (await countOf(ofDay)) > maxRefreshesOfDay
}

export const refreshVerb = 'device refresh'

function dead(caller: FamilyCaller | undefined): DeadRefresh {
  return { outcome: 'dead', caller }
}

function findRefresh(tables: Reading, hash: string) {
  return tables
    .selectFrom('refresh_tokens')
    .selectAll()
    .where('secret_hash', '=', hash)
    .executeTakeFirst()
}

async function ownersOf(tables: Reading, familyId: string) {
  const family = await tables
    .selectFrom('device_families')
    .selectAll()
    .where('id', '=', familyId)
    .executeTakeFirstOrThrow()
  const account = await tables
    .selectFrom('accounts')
    .selectAll()
    .where('id', '=', family.account_id)
    .executeTakeFirstOrThrow()
  return { family, account }
}

/** Whether any hub token of the device is revoked; one that has expired ends nothing. */
async function isRevoked(tables: Reading, familyId: string): Promise<boolean> {
  const revoked = await tokensOfFamily(tables, familyId)
    .where('hub_tokens.revoked_at', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return revoked !== undefined
}

/** Whether the pair that is to be repeated still counts. */
export async function isPairDead(tables: Reading, pair: TokenPair): Promise<boolean> {
  const row = await findRefresh(tables, hashHubToken(pair.refreshToken))
  return row === undefined || (await isRevoked(tables, row.family_id))
}
