/** What a running hub does by itself from time to time: writes down last uses, removes old journal entries and cut-offs. */

import { failureOf } from '@latchkey/service/observe/log'
import { pruneCutOffs } from '../journal/prune-cut-offs.ts'
import { pruneJournal } from '../journal/prune-journal.ts'
import type { Directory } from '../tables/directory.ts'
import type { LastUse } from './last-use.ts'
import type { HubLog } from './log-events.ts'

const lastUseIntervalMs = 60_000
const retentionIntervalMs = 60 * 60_000

export interface Housekeeping {
  readonly directory: Directory
  readonly uses: LastUse
  readonly log: HubLog
  /** 0 keeps every entry. */
  readonly retentionDays: number
  readonly nowMs: () => number
}

/** Gives the function that ends it, once what was noted is written down. */
export function keepHouse(housekeeping: Housekeeping): () => Promise<void> {
  const { directory, uses, log, retentionDays: days, nowMs } = housekeeping
  const writeUses = () =>
    uses.writeDown().catch((error) => log('last_use_not_recorded', failureOf(error)))
  const pruneEntries = async () => {
    try {
      const entries = days === 0 ? 0 : await pruneJournal(directory, { days, nowMs: nowMs() })
      if (entries > 0) log('journal_pruned', { entries, days })
    } catch (error) {
      log('journal_not_pruned', failureOf(error))
    }
  }
  const pruneCuts = async () => {
    try {
      const cutOffs = await pruneCutOffs(directory, nowMs())
      if (cutOffs > 0) log('cut_offs_pruned', { cutOffs })
    } catch (error) {
      log('cut_offs_not_pruned', failureOf(error))
    }
  }
  const prune = () => Promise.all([pruneEntries(), pruneCuts()])
  let pruning = prune()
  const timers = [
    setInterval(writeUses, lastUseIntervalMs).unref(),
    setInterval(() => {
      pruning = prune()
    }, retentionIntervalMs).unref(),
  ]
  return async () => {
    for (const timer of timers) clearInterval(timer)
    await pruning
    await writeUses()
  }
}
