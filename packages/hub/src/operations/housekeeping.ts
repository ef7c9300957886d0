/**
 * Runs the periodic work of a hub: saves last uses, removes old journal entries and revocation
 * entries.
 */

import { type Clock, type HubTokenId, isRefusal, type UnixSeconds } from '@latchkey/protocol'
import { yieldInLoop } from '@latchkey/service/limits/slices'
import { failureOf } from '@latchkey/service/observe/log'
import { pruneCutOffs, pruneJournal } from '../journal/prune-journal.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import { deleteOldDevices } from '../tables/delete-devices.ts'
import type { Directory, Tables } from '../tables/directory.ts'
import { deleteOldMemberships, deleteOldSignIns, revokeUnused } from '../tables/old-sign-ins.ts'
import type { HubLog } from './log-events.ts'

const lastUseIntervalMs = 60_000
const retentionIntervalMs = 60 * 60_000

interface Housekeeping {
  readonly directory: Directory
  readonly uses: LastUse
  readonly log: HubLog
  /** 0 keeps every entry. */
  readonly retentionDays: number
  /** 0 keeps hub tokens that nobody uses. */
  readonly unusedDays: number
  readonly nowMs: () => number
}

/** Gives the function that ends it, once what was noted is written down. */
export function keepHouse(housekeeping: Housekeeping): () => Promise<void> {
  const { directory, uses, log, retentionDays: days, unusedDays, nowMs } = housekeeping
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
      if (cutOffs > 0) log('revocation_entries_pruned', { entries: cutOffs })
    } catch (error) {
      log('revocation_entries_not_pruned', failureOf(error))
    }
  }
  const deleteSignIns = async () => {
    try {
      const now = Math.floor(nowMs() / 1000)
      const origin = { verb: 'housekeeping' }
      const hubTokens = await deleteOldSignIns(directory, { now, origin })
      await deleteOldDevices(directory, { now, origin })
      await deleteOldMemberships(directory, { now, origin })
      if (hubTokens > 0) log('sign_ins_deleted', { hubTokens })
      if (unusedDays === 0) return
      await uses.writeDown()
      const revoked = await revokeUnused(directory, { now, days: unusedDays, origin })
      if (revoked > 0) log('unused_hub_tokens_revoked', { hubTokens: revoked, days: unusedDays })
    } catch (error) {
      log('sign_ins_not_deleted', failureOf(error))
    }
  }
  const prune = () => Promise.all([pruneEntries(), pruneCuts(), deleteSignIns()])
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

const intervalMs = 60_000

/** Keeps the rotation of a running hub going: looks every minute which step is due, and follows what other hubs did. */
interface KeyKeeping {
  readonly keys: Pick<KeyRing, 'rotate' | 'follow'>
  readonly log: HubLog
  readonly clock: Clock
}

/** Gives the function that ends it, once a step that was begun is taken. */
export function keepKeys({ keys, log, clock }: KeyKeeping): () => Promise<void> {
  const rotate = async () => {
    try {
      const steps = await keys.rotate(clock())
      if (isRefusal(steps)) log('keys_not_rotated', { reason: steps.detail })
      else if (steps.length > 0) log('keys_rotated', { steps })
      await keys.follow()
    } catch (error) {
      log('keys_not_rotated', failureOf(error))
    }
  }
  let rotating: Promise<void> | undefined
  const timer = setInterval(() => {
    rotating = rotate()
  }, intervalMs).unref()
  return async () => {
    clearInterval(timer)
    await rotating
  }
}

export interface LastUse {
  note(hubTokenId: HubTokenId, now: UnixSeconds): void
  /** Writes what was noted since the last time, in one transaction. */
  writeDown(): Promise<void>
}

export function lastUse(directory: Directory): LastUse {
  let noted = new Map<HubTokenId, UnixSeconds>()
  return {
    note: (hubTokenId, now) => noted.set(hubTokenId, now),
    async writeDown() {
      if (noted.size === 0) return
      const moments = noted
      noted = new Map()
      try {
        await directory.note('last use', ({ tables }) => recordAll(tables, moments))
      } catch (error) {
        // What could not be written is written the next time; what was noted since is newer.
        noted = new Map([...moments, ...noted])
        throw error
      }
    },
  }
}

/** Another hub may have written a later moment. */
async function recordAll(
  tables: Tables,
  moments: ReadonlyMap<HubTokenId, UnixSeconds>,
): Promise<void> {
  for (const [index, [id, moment]] of [...moments].entries()) {
    await yieldInLoop(index)
    await tables
      .updateTable('hub_tokens')
      .set({ last_used_at: moment })
      .where('id', '=', id)
      .where((row) => row.or([row('last_used_at', 'is', null), row('last_used_at', '<', moment)]))
      .execute()
  }
}
