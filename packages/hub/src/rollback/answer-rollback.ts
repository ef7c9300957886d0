/** Ends every storage token after a rollback, because revocations may be lost, and reports which hub tokens may work again. */

import {
  isFuture,
  isRefusal,
  journalNumber,
  type UnixSeconds,
  unixSeconds,
} from '@latchkey/protocol'
import { findHead } from '../journal/read-journal.ts'
import type { HubLog } from '../operations/log-events.ts'
import type { Change, Origin } from '../tables/change.ts'
import type { Directory, Reading, Transaction } from '../tables/directory.ts'
import { endSignIns } from '../tables/end-sign-ins.ts'
import {
  answersIn,
  findLiveAgain,
  findLoss,
  type LiveAgain,
  type Loss,
  rollbackVerb,
} from './find-loss.ts'

export interface RollbackWork {
  readonly directory: Directory
  readonly log: HubLog
  readonly now: UnixSeconds
}

interface KnownNumber {
  /** The journal had an entry with this number. */
  readonly knownNumber: number
  /** The source of the number: `data directory`, or the id of a storage's hub token. */
  readonly knownBy: string
  /** A storage is trusted, but its credential may be stolen: the hub acts on few of its reports. */
  readonly isOfStorage?: boolean
  readonly origin: Omit<Origin, 'verb'>
}

/** Ends every storage token if there was a rollback that no hub has answered. One of several hubs does it. */
export async function answerRollback(
  { directory, log, now }: RollbackWork,
  { knownNumber, knownBy, isOfStorage = false, origin }: KnownNumber,
): Promise<void> {
  const judge = (tables: Reading) =>
    isOfStorage
      ? judgeReport(tables, { knownNumber, nowMs: now * 1000 })
      : findLoss(tables, knownNumber)
  const first = await directory.readBeside(judge)
  if (first === undefined) return
  const answer = async ({ tables, putAs }: Transaction) => {
    // Again: another report may have been answered meanwhile.
    const lost = await judge(tables)
    if (lost === undefined || 'ignored' in lost) return lost
    const ended = await endSignIns(tables, now)
    // The answer comes last: the newest entry of this verb says what was lost.
    await putAs({ ...origin, verb: rollbackVerb })([...ended, await answerTo(tables, lost)])
    return { lost, hubTokens: await findLiveAgain(tables, { now, madeUntil: now }) }
  }
  const above = isFuture(journalNumber(knownNumber), now) ? 0 : knownNumber
  const answered = 'ignored' in first ? first : await directory.change(answer, { above })
  if (answered === undefined || isRefusal(answered)) return
  if ('ignored' in answered) {
    log('rollback_report_ignored', { knownBy, number: knownNumber, reason: answered.ignored })
  } else {
    log('database_rolled_back', { knownBy, ...shownLoss(answered) })
  }
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
  'Revocations, disabled accounts and removed keys of that time may be undone, so any of these hub tokens may be live again. Look at all of them with "latchkey hub-token list --all" and revoke again what was revoked; if a signing key was removed because it leaked, run "latchkey keys rotate --compromised".'

/** The hub acts on one report of a storage in this time. */
const minPauseMs = 10 * 60 * 1000

/**
 * The clocks of two hubs may be apart by as much. A larger number would make the journal run ahead of the clock, where
 * numbers rise by one and a later rollback is hard to notice.
 */
const maxAheadMs = 60 * 1000

interface IgnoredReport {
  /** Why the hub does not act on it. */
  readonly ignored: string
}

/** A storage may have invented its report. The cheapest question comes first. */
async function judgeReport(
  tables: Reading,
  { knownNumber, nowMs }: { readonly knownNumber: number; readonly nowMs: number },
): Promise<Loss | IgnoredReport | undefined> {
  const { number: head } = await findHead(tables)
  if (knownNumber > Math.max(head, nowMs + maxAheadMs)) {
    return { ignored: 'the number is ahead of the clock' }
  }
  const lost = await findLoss(tables, knownNumber)
  if (lost === undefined) return undefined
  const last = await findLastRollback(tables)
  // A clock that was ahead then and is right now does not make the pause longer.
  const isSoon = last !== undefined && Math.abs(nowMs - last.at_milliseconds) < minPauseMs
  return isSoon ? { ignored: 'a rollback was answered less than 10 minutes ago' } : lost
}

interface AnsweredRollback {
  readonly number: number
  readonly at_milliseconds: number
  readonly lost: Loss
}

export function lastRollbackIn(tables: Reading) {
  return answersIn(tables)
    .select(['number', 'at_milliseconds', 'detail'])
    .where('verb', '=', rollbackVerb)
    .orderBy('number', 'desc')
    .limit(1)
}

async function findLastRollback(tables: Reading): Promise<AnsweredRollback | undefined> {
  const row = await lastRollbackIn(tables).executeTakeFirst()
  if (row === undefined) return undefined
  const { number, at_milliseconds, detail } = row
  return { number, at_milliseconds, lost: JSON.parse(detail).after.lost }
}

/** For `latchkey doctor`. */
export async function inspectRollback(
  tables: Reading,
  { savedNumber, nowMs }: { readonly savedNumber: number | undefined; readonly nowMs: number },
): Promise<InspectedRollback> {
  const lost = savedNumber === undefined ? undefined : await findLoss(tables, savedNumber)
  const answered = await findLastRollback(tables)
  const at = lost === undefined ? answered?.at_milliseconds : nowMs
  const seconds = (ms: number) => unixSeconds(Math.floor(ms / 1000))
  const hubTokens =
    at === undefined
      ? { count: 0, some: [] }
      : await findLiveAgain(tables, { now: seconds(nowMs), madeUntil: seconds(at) })
  return { lost, answered, hubTokens }
}

interface InspectedRollback {
  /** That no hub has answered yet. */
  readonly lost: Loss | undefined
  readonly answered: AnsweredRollback | undefined
  readonly hubTokens: LiveAgain
}
