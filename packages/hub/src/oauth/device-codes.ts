/** Codes of the device flow (RFC 8628): a program asks for one, a person decides, and the program gets its pair once. */

import {
  type HubTokenId,
  isRefusal,
  journalNumber,
  noAccountId,
  noHubTokenId,
  noJournalNumber,
  type Refusal,
  type Scope,
  type Secret,
  type UnixSeconds,
  unixSeconds,
} from '@latchkey/protocol'
import { siteOf } from '@latchkey/service/http/addresses'
import type { RandomBytes } from '@latchkey/service/machine/random'
import { sql } from 'kysely'
import { makeDeviceCode, makeUserCode } from '../identity/device-credentials.ts'
import { hashHubToken } from '../identity/hub-token.ts'
import { isSessionLive, isSessionRevoked } from '../sign-in/live-session.ts'
import { type HubTokenPolicy, type MadeToken, makePlanned } from '../sign-in/own-plans.ts'
import { countOf } from '../tables/columns.ts'
import { repeatSeconds } from '../tables/device-tokens.ts'
import type { Directory, Reading, Tables } from '../tables/directory.ts'
import type { AccountRow, DeviceCodeRow, DeviceFamilyRow } from '../tables/rows.ts'
import { type FamilyCaller, type FamilyWork, isPairDead, startFamily } from './families.ts'
import { isOver, openMade, planWish, sealMade } from './hub-token-wish.ts'
import { openPair, sealPair, type TokenPair } from './sealed-answer.ts'

export const codeSeconds = 600
/** Programs may ask this often. */
export const pollSeconds = 5
const maxOpenOfNetwork = 5
/** An IPv6 /48 has many networks. */
const maxOpenOfSite = 20
/** All together: a stranger with many addresses fills no disk. */
const maxUndecided = 10_000
const shedAtOnce = 500

export interface DeviceRequest {
  readonly clientId: string
  readonly scope: Scope
  readonly address: string
  readonly network: string
  /** The hub token that the program asks for instead of a sign-in, as it asked. */
  readonly wish: string | null
  readonly now: UnixSeconds
}

export interface DeviceCode {
  readonly deviceCode: Secret<'device-code'>
  readonly userCode: string
}

export interface DeviceCodeDeps {
  readonly directory: Directory
  readonly randomBytes: RandomBytes
  readonly hubTokenPrefix: string
  /** For hub tokens that people make for themselves. */
  readonly policy: HubTokenPolicy
}

export async function openDeviceCode(
  { directory, randomBytes }: Pick<DeviceCodeDeps, 'directory' | 'randomBytes'>,
  { clientId, scope, address, network, wish, now }: DeviceRequest,
): Promise<DeviceCode | 'too many'> {
  const site = siteOf(address)
  const opened = await directory.note('device code', async ({ tables }) => {
    const open = tables
      .selectFrom('device_codes')
      .where('expires_at', '>', now)
      .where('decided_at', 'is', null)
    if ((await countOf(open.where('network', '=', network))) >= maxOpenOfNetwork) return 'too many'
    if ((await countOf(open.where('site', '=', site))) >= maxOpenOfSite) return 'too many'
    const undecided = tables.selectFrom('device_codes').where('decided_at', 'is', null)
    if ((await countOf(undecided)) >= maxUndecided) await shedCodes(tables, now)
    const deviceCode = makeDeviceCode(randomBytes)
    const userCode = await unusedUserCode(tables, randomBytes)
    await tables
      .insertInto('device_codes')
      .values({
        code_hash: hashHubToken(deviceCode),
        user_code: userCode,
        client_id: clientId,
        scope,
        address,
        network,
        wish,
        site,
        created_at: now,
        expires_at: now + codeSeconds,
        ...nothingDecided,
      })
      .execute()
    return { deviceCode, userCode }
  })
  return opened as DeviceCode | 'too many'
}

/** Deletes expired codes first, then the oldest of the sites that have most: a flood sheds its own codes. */
async function shedCodes(tables: Tables, now: UnixSeconds): Promise<void> {
  const ranked = sql`select code_hash, expires_at,
    row_number() over (partition by site order by expires_at desc, code_hash) as nth
    from device_codes where decided_at is null`
  await sql`delete from device_codes where code_hash in (
    select code_hash from (${ranked}) as ranked
    order by case when expires_at <= ${now} then 0 else 1 end, nth desc, expires_at limit ${sql.lit(shedAtOnce)}
  )`.execute(tables)
}

const nothingDecided = {
  decided_at: null,
  decided_number: null,
  account_id: null,
  session_id: null,
  ends_at: null,
  used_at: null,
  sealed: null,
}

async function unusedUserCode(tables: Reading, randomBytes: RandomBytes): Promise<string> {
  for (;;) {
    const code = makeUserCode(randomBytes)
    if ((await findByUserCode(tables, code)) === undefined) return code
  }
}

function findByUserCode(tables: Reading, userCode: string): Promise<DeviceCodeRow | undefined> {
  return tables
    .selectFrom('device_codes')
    .selectAll()
    .where('user_code', '=', userCode)
    .executeTakeFirst()
}

/** A code that waits for a decision. */
export async function findOpenCode(
  tables: Reading,
  userCode: string,
  now: UnixSeconds,
): Promise<DeviceCodeRow | undefined> {
  const row = await findByUserCode(tables, userCode)
  if (row?.decided_at !== null || row.expires_at <= now) return undefined
  return (await isCutOff(tables, row)) ? undefined : row
}

/** A restore, a rollback and a failover end every code. So does the end of an account the codes that it has approved. */
async function isCutOff(
  tables: Reading,
  { account_id, created_at, decided_number }: DeviceCodeRow,
): Promise<boolean> {
  const cut = await tables
    .selectFrom('cut_offs')
    .select('id')
    .where(({ and, eb, or }) =>
      or([
        // Numbers of the journal are milliseconds, or ahead of them.
        and([eb('kind', '=', 'all'), eb('number', '>=', journalNumber(created_at * 1000))]),
        and([
          eb('kind', '=', 'account'),
          eb('id', '=', account_id ?? noAccountId),
          eb('number', '>=', decided_number ?? noJournalNumber),
        ]),
      ]),
    )
    .limit(1)
    .executeTakeFirst()
  return cut !== undefined
}

export interface Decision {
  readonly userCode: string
  readonly isApproved: boolean
  readonly accountId: AccountRow['id']
  readonly sessionId: HubTokenId
  /** The end of the sign-in. */
  readonly endsAt: UnixSeconds | undefined
  /** The most that this sign-in gives. */
  readonly maxScope: Scope
  readonly now: UnixSeconds
}

export type DecisionResult = 'decided' | 'no code' | 'no session'

/** The session and its account are read again in the transaction: either may have ended since the page was loaded. */
export async function decideDeviceCode(
  { directory }: Pick<DeviceCodeDeps, 'directory'>,
  { userCode, isApproved, accountId, sessionId, endsAt, maxScope, now }: Decision,
): Promise<DecisionResult> {
  const decided = await directory.note('device code', async ({ tables, number }) => {
    const row = await findOpenCode(tables, userCode, now)
    if (row === undefined) return 'no code'
    if (!(await isSessionLive(tables, { accountId, sessionId, now }))) return 'no session'
    const approval = { account_id: accountId, ends_at: endsAt ?? null }
    await tables
      .updateTable('device_codes')
      .set({
        decided_at: now,
        decided_number: number,
        session_id: sessionId,
        scope: maxScope === 'read' ? 'read' : row.scope,
        ...(isApproved && approval),
      })
      .where('code_hash', '=', row.code_hash)
      .execute()
    return 'decided'
  })
  return decided as DecisionResult
}

export type PollResult =
  | {
      readonly outcome: 'done' | 'repeated'
      readonly pair: TokenPair
      readonly caller: FamilyCaller
    }
  | {
      readonly outcome: 'done' | 'repeated'
      readonly made: MadeToken
      readonly caller: FamilyCaller
    }
  /** A person approved it, and it cannot be made any more. */
  | { readonly outcome: 'refused'; readonly refusal: Refusal }
  | { readonly outcome: 'pending' | 'denied' | 'expired' | 'dead' }

export interface Poll {
  readonly deviceCode: Secret<'device-code'>
  readonly clientId: string
  /** The name of the program, for people. */
  readonly program: string
  readonly now: UnixSeconds
  readonly requestId: string
}

/** A program asks every few seconds: while nobody has decided, it only reads. */
export async function pollDeviceCode(deps: DeviceCodeDeps, poll: Poll): Promise<PollResult> {
  const { deviceCode, clientId, now } = poll
  const hash = hashHubToken(deviceCode)
  const state = (row: DeviceCodeRow | undefined) => stateOf(row, { clientId, now })
  const first = state(await deps.directory.readBeside((tables) => findByHash(tables, hash)))
  if (first !== 'decided') return { outcome: first }
  const polled = await deps.directory.note('device code', async (transaction) => {
    const { tables } = transaction
    const row = await findByHash(tables, hash)
    const again = state(row)
    if (again !== 'decided' || row === undefined) return { outcome: again }
    const account = await liveAccountOf(tables, row, now)
    if (account === undefined) return { outcome: row.used_at === null ? 'denied' : 'dead' }
    if (row.used_at !== null) return repeat(tables, { row, account, poll })
    return exchange({ ...deps, transaction, now }, { row, account, poll })
  })
  return polled as PollResult
}

type State = 'pending' | 'denied' | 'expired' | 'dead' | 'decided'

function stateOf(
  row: DeviceCodeRow | undefined,
  { clientId, now }: Pick<Poll, 'clientId' | 'now'>,
): State {
  if (row === undefined || row.client_id !== clientId) return 'dead'
  if (row.used_at !== null) {
    return row.sealed !== null && now < row.used_at + repeatSeconds ? 'decided' : 'dead'
  }
  if (row.expires_at <= now) return 'expired'
  if (row.decided_at === null) return 'pending'
  return row.account_id === null ? 'denied' : 'decided'
}

function findByHash(tables: Reading, hash: string): Promise<DeviceCodeRow | undefined> {
  return tables
    .selectFrom('device_codes')
    .selectAll()
    .where('code_hash', '=', hash)
    .executeTakeFirst()
}

/** An account that was disabled after the approval, or a session that was ended, gives nothing any more. */
async function liveAccountOf(
  tables: Reading,
  row: DeviceCodeRow,
  now: UnixSeconds,
): Promise<AccountRow | undefined> {
  if ((await isCutOff(tables, row)) || (await isSessionOver(tables, row, now))) return undefined
  return tables
    .selectFrom('accounts')
    .selectAll()
    .where('id', '=', row.account_id ?? noAccountId)
    .where('disabled', '=', 0)
    .executeTakeFirst()
}

type ExchangeWork = FamilyWork & Pick<DeviceCodeDeps, 'policy'>

/** A session that has expired since has approved in time; a device that has begun ends by its hub tokens. */
async function isSessionOver(
  tables: Reading,
  { session_id, used_at }: DeviceCodeRow,
  now: UnixSeconds,
): Promise<boolean> {
  if (used_at !== null) return false
  return isSessionRevoked(tables, { sessionId: session_id ?? noHubTokenId, now })
}

interface Exchange {
  readonly row: DeviceCodeRow
  readonly account: AccountRow
  readonly poll: Poll
}

async function exchange(work: ExchangeWork, { row, account, poll }: Exchange): Promise<PollResult> {
  const { deviceCode, program, requestId } = poll
  const { client_id, scope, address, ends_at: endsAt } = row
  const behind = await signInBehind(work.transaction.tables, row)
  const caller = callerOf(row, account)
  if (row.wish !== null) return exchangeWish(work, row.wish, { row, account, poll })
  const pair = await startFamily(work, {
    account,
    family: { account_id: account.id, client_id, program, scope, address, ...behind },
    endsAt,
    origin: { verb: signInVerb, actor: caller, requestId },
  })
  await noteUsed(work, row, sealPair(pair, deviceCode))
  return { outcome: 'done', pair, caller }
}

async function noteUsed(
  { transaction, now }: Pick<FamilyWork, 'transaction' | 'now'>,
  { code_hash }: DeviceCodeRow,
  sealed: string,
): Promise<void> {
  await transaction.tables
    .updateTable('device_codes')
    .set({ used_at: now, sealed })
    .where('code_hash', '=', code_hash)
    .execute()
}

/** Judged again: the person may have made another of this name since the approval. */
async function exchangeWish(
  work: ExchangeWork,
  wish: string,
  { row, account, poll: { deviceCode, requestId } }: Exchange,
): Promise<PollResult> {
  const { transaction, now, policy } = work
  const caller = callerOf(row, account)
  const makesUntil = row.ends_at === null ? undefined : unixSeconds(row.ends_at)
  const plan = await planWish(transaction.tables, wish, { ...caller, makesUntil }, { now, policy })
  if (isRefusal(plan)) return { outcome: 'refused', refusal: plan }
  const made = await makePlanned(transaction, caller, { ...work, plan, requestId })
  await noteUsed(work, row, sealMade(made, deviceCode))
  return { outcome: 'done', made, caller }
}

/** Its end ends the device too. */
async function signInBehind(
  tables: Reading,
  { session_id }: DeviceCodeRow,
): Promise<Pick<DeviceFamilyRow, 'provider' | 'maker_id'>> {
  const session = await tables
    .selectFrom('sessions')
    .select(['provider', 'maker_id'])
    .where('hub_token_id', '=', session_id ?? noHubTokenId)
    .executeTakeFirst()
  return session ?? { provider: null, maker_id: null }
}

export const signInVerb = 'device sign-in'

async function repeat(
  tables: Reading,
  { row, account, poll: { deviceCode } }: Exchange,
): Promise<PollResult> {
  if (row.wish !== null) {
    const made = openMade(row.sealed ?? '', deviceCode)
    if (await isOver(tables, made)) return { outcome: 'dead' }
    return { outcome: 'repeated', made, caller: callerOf(row, account) }
  }
  const pair = openPair(row.sealed ?? '', deviceCode)
  if (await isPairDead(tables, pair)) return { outcome: 'dead' }
  return { outcome: 'repeated', pair, caller: callerOf(row, account) }
}

function callerOf({ session_id }: DeviceCodeRow, { id, name }: AccountRow): FamilyCaller {
  return { accountId: id, accountName: name, hubTokenId: session_id ?? noHubTokenId }
}
