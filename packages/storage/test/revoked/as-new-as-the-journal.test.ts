/** Before a write, the storage knows what was taken back up to the entry of the journal that it has asked for. */

import { HubLinkError } from '@latchkey/gate/hub-link'
import { type JournalNumber, journalNumber } from '@latchkey/protocol'
import { movedStopwatch } from '@latchkey/testing/moved-stopwatch'
import { expect, test } from 'vitest'
import { upToDate } from '../../src/following/up-to-date.ts'

/** `seqs` are those of the snapshots, one for each question; the last stays. */
function openHub(number: number, seqs: readonly number[]) {
  const stopwatch = movedStopwatch()
  const asked = { changes: 0, revocations: 0 }
  let seq: JournalNumber | undefined
  const fresh = upToDate(
    {
      async ask() {
        asked.changes += 1
        // Otherwise a hub that never says enough would be asked for ever.
        stopwatch.pass(1)
        return journalNumber(number)
      },
      revocations: {
        latest: () => {
          if (seq === undefined) return undefined
          return {
            seq,
            list: new Map(),
            state: () => 'current',
            ageSeconds: () => 0,
            secondsLeft: () => 60,
          }
        },
        async refresh() {
          seq = journalNumber(seqs[Math.min(asked.revocations, seqs.length - 1)] ?? 0)
          asked.revocations += 1
        },
      },
    },
    { stopwatch: stopwatch.now, pauseMs: 1 },
  )
  return { fresh, asked }
}

test('a snapshot that is older than the answer is asked for again, until it is not', async () => {
  const { fresh, asked } = openHub(5, [3, 4, 6])
  expect(await fresh()).toBe(5)
  expect(asked.revocations).toBe(3)
})

test('between two entries of the journal a write asks for nothing more', async () => {
  const { fresh, asked } = openHub(5, [5])
  await fresh()
  for (let write = 0; write < 10; write += 1) expect(await fresh()).toBe(5)
  expect(asked).toEqual({ changes: 11, revocations: 1 })
})

test('a hub that does not say what was taken back is as good as away', async () => {
  const { fresh, asked } = openHub(5, [4])
  expect(await fresh()).toMatchObject({ code: 'hub_unavailable', retryAfterSeconds: 5 })
  expect(asked.revocations).toBe(30)
})

test('a hub that cannot be asked is asked again, as before', async () => {
  let asked = 0
  const stopwatch = movedStopwatch()
  const ask = async () => {
    asked += 1
    stopwatch.pass(10)
    if (asked < 3) throw new HubLinkError('away')
    return journalNumber(1)
  }
  const revocations = { latest: () => undefined, refresh: async () => {} }
  const fresh = upToDate({ ask, revocations }, { stopwatch: stopwatch.now, pauseMs: 1 })
  expect(await fresh()).toMatchObject({ code: 'hub_unavailable' })
  expect(asked).toBe(3)
})

test('the storage asks again after an answer that took longer than a second', async () => {
  const stopwatch = movedStopwatch()
  const delays = [3, 2, 0.1]
  let number = 0
  const ask = async () => {
    // A revocation after the question is not in the response.
    const answered = journalNumber(number)
    stopwatch.pass(delays[number] ?? 0)
    number += 1
    return answered
  }
  const revocations = { latest: () => allKnown, refresh: async () => {} }
  const fresh = upToDate({ ask, revocations }, { stopwatch: stopwatch.now, pauseMs: 1 })
  expect(await fresh()).toBe(2)
  delays.push(...Array(20).fill(2))
  expect(await fresh()).toMatchObject({ code: 'hub_unavailable' })
})

const allKnown = {
  seq: journalNumber(1_000),
  list: new Map(),
  state: () => 'current' as const,
  ageSeconds: () => 0,
  secondsLeft: () => 60,
}
