/** Reads the journal page by page, once or for as long as somebody follows it. */

import { setTimeout as delay } from 'node:timers/promises'
import { journalEntry, type Verb } from '@latchkey/admin-api'
import { isRefusal } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/cannot-start'
import { z } from 'zod'
import { exitCodes, Stop, unavailable } from '../output/stop.ts'
import { tell } from '../output/tell.ts'
import type { Input, Management, UseManagement } from './management.ts'
import { stopFor } from './refusal-line.ts'

/** A newer hub may tell more about an entry than we know. */
const entry = journalEntry.loose()
const answered = z.object({ items: z.array(entry), last: z.number().int() })

export type Entry = z.output<typeof entry>

export interface ChangesReading {
  readonly verb: Verb
  readonly input: Input
  /** How many entries are shown before the end. */
  readonly most: number
  readonly isFollowing: boolean
  show(page: readonly Entry[]): Promise<void>
}

const pageLength = 100
/** A hub answers as soon as there is an entry; a look at the data directory does not wait. */
const waitSeconds = 30
const longestPauseSeconds = 30

/** Gives the number of entries shown. */
export async function readChanges(use: UseManagement, reading: ChangesReading): Promise<number> {
  const { most, isFollowing, show } = reading
  let input: Input = { ...reading.input, ...(isFollowing ? { wait: waitSeconds } : {}) }
  let shown = 0
  let { last: newest }: Input = reading.input
  const readOn = async (management: Management) => {
    let isFull = true
    while (isFull && shown < most) {
      const limit = Math.min(pageLength, most - shown)
      const { items, last } = await ask(management, reading.verb, { ...input, limit })
      await show(items)
      shown += items.length
      isFull = newest === undefined && items.length === limit
      newest = undefined
      const { last: _, ...others } = input
      input = { ...others, after: String(last) }
    }
  }
  // A connection that is open while a backup is restored damages the database, so each look opens its own.
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

/** Looks once more after a second. An outage is said once; then the pauses grow until it is over. */
async function lookAgain(look: () => Promise<void>): Promise<void> {
  for (let failures = 0; ; failures += 1) {
    await delay(Math.min(2 ** failures, longestPauseSeconds) * 1000)
    try {
      return await look()
    } catch (error) {
      if (!isOutage(error)) throw error
      if (failures === 0) tell(`latchkey: ${error.message}; trying again until it works`)
    }
  }
}

function isOutage(error: unknown): error is Error {
  if (error instanceof CannotStart) return true
  return error instanceof Stop && error.exitCode === exitCodes.unavailable
}
