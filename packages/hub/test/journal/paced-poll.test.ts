/** How often a long poll asks: never in a hurry, and no longer than its client is there. */

import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type JournalWatch, longPoll } from '../../src/journal/journal-watch.ts'

const empty = { items: [], last: 10 }
/** Timers of a second may fire a little early. */
const almostASecond = 900

/** A journal that grows all the time. */
function growing(hasSlot: boolean) {
  const slots = { taken: 0 }
  const watch: JournalWatch = {
    takeSlot() {
      if (!hasSlot) return undefined
      slots.taken += 1
      return () => {
        slots.taken -= 1
      }
    },
    growsBeyond: async () => {},
  }
  return { watch, slots }
}

/** Polls with these answers, the last one again and again; tells when each was asked for. */
function poll(watch: JournalWatch, answers: readonly unknown[], signal = never) {
  const askedAt: number[] = []
  const ask = async () => {
    askedAt.push(performance.now())
    const answer = answers[askedAt.length - 1] ?? answers.at(-1)
    if (answer instanceof Error) throw answer
    return answer
  }
  return { askedAt, answer: longPoll(ask, { watch, holder: 'account', waitSeconds: 60, signal }) }
}

const never = new AbortController().signal

function pauses(times: readonly number[]): readonly number[] {
  return times.slice(1).map((time, index) => time - (times[index] ?? 0))
}

test('a question without a slot is answered after a second, by asking once more', async () => {
  const refusal = { refused: 'revoked' }
  const { askedAt, answer } = poll(growing(false).watch, [empty, refusal])
  expect(await answer).toBe(refusal)
  expect(pauses(askedAt)).toEqual([expect.toSatisfy((ms) => ms > almostASecond)])
})

test('a question that is woken for nothing asks again after a second', async () => {
  const { watch, slots } = growing(true)
  const found = { items: ['entry'], last: 11 }
  const { askedAt, answer } = poll(watch, [empty, empty, empty, found])
  expect(await answer).toBe(found)
  const [, ...later] = pauses(askedAt)
  expect(later).toHaveLength(2)
  expect(later.every((ms) => ms > almostASecond)).toBe(true)
  expect(slots.taken).toBe(0)
})

test.each([true, false])(
  'a client that leaves ends the pause (with a slot: %s)',
  async (hasSlot) => {
    const client = new AbortController()
    const { answer } = poll(growing(hasSlot).watch, [empty], client.signal)
    setImmediate(() => client.abort())
    expect(await Promise.race([answer, delay(almostASecond, 'late')])).toBe(empty)
  },
)

test('a question that fails frees its slot', async () => {
  const { watch, slots } = growing(true)
  await expect(poll(watch, [empty, new Error('no database')]).answer).rejects.toThrow('no database')
  expect(slots.taken).toBe(0)
})
