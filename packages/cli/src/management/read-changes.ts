/** Reads the journal page by page, once or for as long as somebody follows it. */

import { setTimeout as delay } from 'node:timers/promises'
import { journalEntry, type Verb } from '@latchkey/admin-api'
import { isRefusal } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/cannot-start'
import { z } from 'zod'
import { exitCodes, Stop, unavailable } from '../output/stop.ts'
import { tell } from '../output/tell.ts'
import type { Input, Management, UseManagement } from './management.ts'
import { stopFor } from './refusal-line.ts'

/** A newer hub may tell more about an entry than we know. */
const entry = journalEntry.loose()
const answered = z.object({ items: z.array(entry), last: z.number().int() })

export type Entry = z.output<typeof entry>

export interface Reading {
  readonly verb: Verb
  readonly input: Input
  /** How many entries are shown before the end. */
  readonly most: number
  readonly isFollowing: boolean
  show(page: readonly Entry[]): Promise<void>
}

const pageLength = 100
/** A hub that can wait answers as soon as there is an entry; the data directory is looked at once a second. */
const waitSeconds = 30
const leastIntervalMs = 1000
const longestPauseSeconds = 30

/** Gives the number of entries shown. */
export async function readChanges(use: UseManagement, reading: Reading): Promise<number> {
  const { most, isFollowing, show } = reading
  let input: Input = { ...reading.input, ...(isFollowing ? { wait: waitSeconds } : {}) }
  let shown = 0
  const readOn = async (management: Management) => {
    for (let limit = 0, length = 0; length === limit && shown < most; ) {
      limit = Math.min(pageLength, most - shown)
      const { items, last } = await ask(management, reading.verb, { ...input, limit })
      await show(items)
      shown += items.length
      length = items.length
      input = { ...input, after: String(last) }
    }
  }
  // A database that is open cannot be replaced by a backup, so each look opens it anew.
  await use(readOn)
  while (isFollowing && shown < most) await lookAgain(() => use(readOn))
  return shown
}

async function ask(management: Management, verb: Verb, input: Input) {
  const answer = await management.run(verb, input)
  if (isRefusal(answer)) {
    // The hub speaks of its parameter, a person has typed a flag.
    const detail = answer.detail.replaceAll('after=', '--since ')
    throw stopFor({ ...answer, detail, path: '' })
  }
  const read = answered.safeParse(answer)
  if (read.success) return read.data
  throw unavailable('the answer is not a page of the journal; check --hub')
}

/** An outage ends no follower: it says so once, and tries again at growing intervals. */
async function lookAgain(look: () => Promise<void>): Promise<void> {
  for (let failures = 0, done = false; !done; ) {
    await delay(failures === 0 ? leastIntervalMs : pauseMs(failures))
    try {
      await look()
      done = true
    } catch (error) {
      if (!isOutage(error)) throw error
      if (failures === 0) tell(`latchkey: ${error.message}; trying again until it works`)
      failures += 1
    }
  }
}

function isOutage(error: unknown): error is Error {
  if (error instanceof CannotStart) return true
  return error instanceof Stop && error.exitCode === exitCodes.unavailable
}

function pauseMs(failures: number): number {
  return Math.min(2 ** (failures - 1), longestPauseSeconds) * 1000
}
