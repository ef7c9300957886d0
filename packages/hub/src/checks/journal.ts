/** Whether the journal is whole at its end, and of the time that this machine's clock shows. */

import {
  type Check,
  type Finding,
  goodFinding,
  skippedFinding,
  spanOf,
  warningFinding,
  wrongFinding,
} from '@latchkey/service/checks'
import { findHead } from '../journal/read-journal.ts'
import { inspectRollback, rollbackAdvice } from '../rollback/answer-rollback.ts'
import { readKeptNumber } from '../rollback/kept-number.ts'
import type { Reading } from '../tables/directory.ts'
import { type HubInstallation, withStore } from './with-store.ts'

/** The newest ones: the whole may be millions. */
const lookedAt = 1000

/** Hubs and this machine may be apart by as much. */
const skewMs = 60_000

/** One change of many things takes a number for each, a millisecond apart. */
const usualAheadMs = 3_600_000

export const journal: Check<HubInstallation> = {
  name: 'journal',
  run: (installation) =>
    withStore(installation, async (read) => {
      const { head, entries } = await read(endOfJournal)
      const damage = unlinked(head, entries)
      if (damage !== undefined) return [damage]
      const nowMs = installation.nowMs()
      return [linked(entries, nowMs), ...ofAnotherTime(head, entries[0], nowMs)]
    }),
}

interface Entry {
  readonly number: number
  readonly previous: number
  readonly at_milliseconds: number
}

async function endOfJournal(tables: Reading): Promise<{ head: number; entries: readonly Entry[] }> {
  const entries = await tables
    .selectFrom('journal')
    .select(['number', 'previous', 'at_milliseconds'])
    .orderBy('number', 'desc')
    .limit(lookedAt)
    .execute()
  return { head: (await findHead(tables)).number, entries }
}

function unlinked(head: number, entries: readonly Entry[]): Finding | undefined {
  const [newest] = entries
  if (newest?.number !== head) {
    return wrongFinding(
      `the last entry is ${newest?.number ?? 'missing'}, and should be ${head}`,
      todo,
    )
  }
  const torn = entries.find(({ previous }, index) => {
    const before = entries[index + 1]
    return before !== undefined && previous !== before.number
  })
  if (torn === undefined) return undefined
  return wrongFinding(
    `entries before ${torn.number} are missing: it follows ${torn.previous}`,
    todo,
  )
}

const todo =
  'Something else than Latchkey has written to the database: restore a backup (latchkey restore --help).'

function linked(entries: readonly Entry[], nowMs: number): Finding {
  const [newest] = entries
  const age = nowMs - (newest?.at_milliseconds ?? nowMs)
  const last = age < 0 ? '' : `, made ${spanOf(age)} ago`
  return goodFinding(
    `linked up to entry ${newest?.number}${last} (the newest ${entries.length} looked at)`,
  )
}

function ofAnotherTime(head: number, newest: Entry | undefined, nowMs: number): readonly Finding[] {
  const ahead = (newest?.at_milliseconds ?? nowMs) - nowMs
  if (ahead > skewMs) {
    return [
      wrongFinding(
        `the last entry was made ${spanOf(ahead)} ahead of this machine's clock`,
        'The clock is wrong now, or was when the entry was made: set it, and keep it on NTP.',
      ),
    ]
  }
  if (head - nowMs <= usualAheadMs) return []
  return [
    warningFinding(
      `its numbers are ${spanOf(head - nowMs)} ahead of the clock, which was wrong once`,
      'No entry is lost, and the numbers continue from there. Keep the clock on NTP.',
    ),
  ]
}

/** An operator who has not looked by then does not read this. */
const reportedMs = 30 * 24 * 3_600_000

export const rollback: Check<HubInstallation> = {
  name: 'rollback',
  run: (installation) =>
    withStore(installation, async (read) => {
      const { settings } = installation
      const [savedNumber, nowMs] = [readKeptNumber(settings.data), installation.nowMs()]
      const { lost, answered, hubTokens } = await read((tables) =>
        inspectRollback(tables, { savedNumber, nowMs }),
      )
      const named = namesOf(hubTokens)
      if (lost !== undefined) {
        return [
          warningFinding(
            `the database was rolled back: it lacks the entries above ${lost.after}, up to ${lost.through}; ${named}`,
            `The next start of a hub ends every storage token. ${rollbackAdvice}`,
          ),
        ]
      }
      if (answered !== undefined && nowMs - answered.at_milliseconds < reportedMs) {
        const since = spanOf(nowMs - answered.at_milliseconds)
        return [
          warningFinding(
            `the database was rolled back, and every storage token was ended ${since} ago; entries above ${answered.lost.after}, up to ${answered.lost.through}, are lost; ${named}`,
            rollbackAdvice,
          ),
        ]
      }
      return [ofKept(savedNumber)]
    }),
}

function ofKept(savedNumber: number | undefined): Finding {
  if (savedNumber === undefined)
    return skippedFinding('no hub has kept the number of its journal here yet')
  return goodFinding(
    `the journal has entry ${savedNumber}, the last that this data directory knows of`,
  )
}

function namesOf({ count, some }: { readonly count: number; readonly some: readonly string[] }) {
  if (count === 0) return 'no hub token of before is live'
  const rest = count - some.length
  const more = rest > 0 ? `, and ${rest} more that "latchkey hub-token list --all" shows` : ''
  return `${count} hub tokens of before may be live again: ${some.join(', ')}${more}`
}
