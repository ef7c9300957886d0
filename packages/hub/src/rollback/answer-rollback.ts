/** Ends every storage token after a rollback, because revocations may be lost, and reports which hub tokens may work again. */

import {
  isFuture,
  isRefusal,
  journalNumber,
  type UnixSeconds,
  unixSeconds,
} from '@latchkey/protocol'
import type { Change, Origin } from '../directory/port/change.ts'
import type { Directory, Reading } from '../directory/port/directory.ts'
import type { HubLog } from '../operations/log-events.ts'
import { findLoss, type Loss, rollbackVerb } from './find-loss.ts'
import type { RisingNumbers } from './kept-number.ts'
import { findLiveAgain, type LiveAgain } from './live-hub-tokens.ts'

export interface RollbackWork {
  readonly directory: Directory
  readonly numbers: Pick<RisingNumbers, 'raiseAbove'>
  readonly log: HubLog
  readonly now: UnixSeconds
}

export interface KnownNumber {
  /** The journal had an entry with this number. */
  readonly known: number
  /** Who knows it: `data directory`, or the id of a storage's hub token. */
  readonly knownBy: string
  readonly origin: Omit<Origin, 'verb'>
}

/** True if there was a rollback that nobody had answered. Of several hubs and workers, one does it. */
export async function answerRollback(
  { directory, numbers, log, now }: RollbackWork,
  { known, knownBy, origin }: KnownNumber,
): Promise<boolean> {
  if ((await directory.readBeside((tables) => findLoss(tables, known))) === undefined) return false
  if (!isFuture(journalNumber(known), now)) numbers.raiseAbove(known)
  const answered = await directory.change(async ({ tables, putAs }) => {
    const lost = await findLoss(tables, known)
    if (lost === undefined) return undefined
    await putAs({ ...origin, verb: rollbackVerb })([await answerTo(tables, lost)])
    return { lost, hubTokens: await findLiveAgain(tables, { now, madeUntil: now }) }
  })
  if (answered === undefined || isRefusal(answered)) return false
  log('database_rolled_back', { knownBy, ...shownLoss(answered) })
  return true
}

/** Where a failover has ended every token already, and nothing was issued from what was lost, none has to end again. */
async function answerTo(tables: Reading, lost: Loss): Promise<Change> {
  const everything = await tables
    .selectFrom('cut_offs')
    .select('number')
    .where('kind', '=', 'all')
    .executeTakeFirst()
  const areEnded = (everything?.number ?? 0) > lost.through
  return { thing: 'cut-off', cuts: areEnded ? [] : [{ kind: 'all', id: '' }], lost }
}

function shownLoss({ lost, hubTokens }: { lost: Loss; hubTokens: LiveAgain }) {
  return {
    reason: `An older copy of the database was put back: it ends at entry ${lost.after}, but entry ${lost.through} was made. Every storage token of before has ended.`,
    lostAfter: new Date(lost.after).toISOString(),
    lostThrough: new Date(lost.through).toISOString(),
    hubTokens: hubTokens.count,
    someHubTokens: hubTokens.some,
    advice: rollbackAdvice,
  }
}

export const rollbackAdvice =
  'Revocations, disabled accounts and removed keys of that time may be undone, so any of these hub tokens may be live again. Look at them with "latchkey hub-token list" and revoke again what was revoked; if a signing key was removed because it leaked, run "latchkey keys rotate --compromised".'

/** A storage that reports a number is trusted, but its credential may be stolen. */
const minPauseMs = 10 * 60 * 1000

/** Bulk changes bring numbers ahead of the clock by less. */
const maxAheadMs = 60 * 60 * 1000

/** Why a number that a storage reports is not acted on; undefined where it may be. */
export async function refuseReport(
  tables: Reading,
  { known, nowMs }: { readonly known: number; readonly nowMs: number },
): Promise<string | undefined> {
  const { number: head } = await tables
    .selectFrom('journal_head')
    .select('number')
    .executeTakeFirstOrThrow()
  if (known > Math.max(head, nowMs + maxAheadMs)) return 'the number is ahead of the clock'
  const last = await findLastRollback(tables)
  const isSoon = last !== undefined && last.at_milliseconds > nowMs - minPauseMs
  return isSoon ? 'a rollback was answered less than 10 minutes ago' : undefined
}

export interface AnsweredRollback {
  readonly number: number
  readonly at_milliseconds: number
  readonly lost: Loss
}

export async function findLastRollback(tables: Reading): Promise<AnsweredRollback | undefined> {
  const row = await tables
    .selectFrom('journal')
    .select(['number', 'at_milliseconds', 'detail'])
    .where('verb', '=', rollbackVerb)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { number, at_milliseconds, detail } = row
  return { number, at_milliseconds, lost: JSON.parse(detail).after.lost }
}

/** For `latchkey doctor`. */
export async function inspectRollback(
  tables: Reading,
  { kept, nowMs }: { readonly kept: number | undefined; readonly nowMs: number },
): Promise<InspectedRollback> {
  const lost = kept === undefined ? undefined : await findLoss(tables, kept)
  const answered = await findLastRollback(tables)
  const at = lost === undefined ? answered?.at_milliseconds : nowMs
  const seconds = (ms: number) => unixSeconds(Math.floor(ms / 1000))
  const hubTokens =
    at === undefined
      ? { count: 0, some: [] }
      : await findLiveAgain(tables, { now: seconds(nowMs), madeUntil: seconds(at) })
  return { lost, answered, hubTokens }
}

export interface InspectedRollback {
  /** That no hub has answered yet. */
  readonly lost: Loss | undefined
  readonly answered: AnsweredRollback | undefined
  readonly hubTokens: LiveAgain
}
