/** Questions of one turn go together; none waits for more than it must. */

import { DatabaseBusy } from '@latchkey/service/postgres'
import { movedStopwatch } from '@latchkey/testing/moved-stopwatch'
import { expect, test } from 'vitest'
import { type BatchLimits, inBatches } from '../../../src/stores/postgres/postgres-access.ts'

/** A database that answers when it is told to. */
function slowDatabase({
  atOnce = 3,
  maxInOne = 200,
  maxWaitMs = 60_000,
  stopwatch = () => 0,
}: Partial<BatchLimits> = {}) {
  const sent: { questions: readonly number[]; answer(): void; fail(error: Error): void }[] = []
  const ask = inBatches<number, string>(
    (questions) => {
      const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>()
      const answer = () => resolve(questions.map((question) => `${question}`))
      sent.push({ questions, answer, fail: reject })
      return promise
    },
    { atOnce, maxInOne, maxWaitMs, stopwatch },
  )
  const turn = () => new Promise<void>((next) => void setImmediate(next))
  const asked = () => sent.map(({ questions }) => questions)
  return { ask, sent, turn, asked }
}

const from = (first: number, count: number) => Array.from({ length: count }, (_, at) => first + at)

test('questions of one turn are one statement, and each gets its own answer', async () => {
  const { ask, sent, turn, asked } = slowDatabase()
  const answers = Promise.all(from(1, 5).map(ask))
  await turn()
  expect(asked()).toEqual([from(1, 5)])
  sent[0]?.answer()
  expect(await answers).toEqual(['1', '2', '3', '4', '5'])
})

test('a lone question is sent in the turn in which it is asked', async () => {
  const { ask, turn, asked } = slowDatabase()
  void ask(1)
  // Neither a timer nor another question is waited for.
  await turn()
  expect(asked()).toEqual([[1]])
})

test('more than fit into one statement are split', async () => {
  const { ask, sent, turn, asked } = slowDatabase({ atOnce: 3, maxInOne: 4 })
  const answers = Promise.all(from(1, 10).map(ask))
  await turn()
  expect(asked()).toEqual([from(1, 4), from(5, 4), from(9, 2)])
  for (const batch of sent) batch.answer()
  expect(await answers).toEqual(from(1, 10).map(String))
})

test('no more statements than allowed are on their way, and what waits goes together', async () => {
  const { ask, sent, turn, asked } = slowDatabase({ atOnce: 2, maxInOne: 4 })
  for (const question of from(1, 6)) {
    void ask(question)
    await turn()
  }
  await expect.poll(asked).toEqual([[1], [2, 3]])
  sent[1]?.answer()
  await expect.poll(asked).toEqual([[1], [2, 3], [4, 5, 6]])
})

test('beside another statement, one is sent at once when it is half full', async () => {
  const { ask, turn, asked } = slowDatabase({ atOnce: 2, maxInOne: 4 })
  void ask(1)
  await turn()
  void ask(2)
  void ask(3)
  await turn()
  expect(asked()).toEqual([[1], [2, 3]])
})

test('one slow statement holds up no question but its own', async () => {
  const { ask, sent, turn } = slowDatabase()
  const slow = ask(0)
  await turn()
  for (const question of from(1, 20)) {
    const answer = ask(question)
    await expect.poll(() => sent.length, { interval: 1 }).toBe(question + 1)
    sent.at(-1)?.answer()
    expect(await answer).toBe(`${question}`)
  }
  sent[0]?.answer()
  expect(await slow).toBe('0')
})

test('an error reaches everybody in its statement, and nobody else', async () => {
  const { ask, sent, turn } = slowDatabase({ atOnce: 3, maxInOne: 2 })
  const answers = Promise.allSettled([1, 2, 3].map(ask))
  await turn()
  sent[0]?.fail(new Error('broken'))
  sent[1]?.answer()
  const ends = (await answers).map((end) => ('value' in end ? end.value : end.reason.message))
  expect(ends).toEqual(['broken', 'broken', '3'])
  const next = ask(4)
  await turn()
  sent.at(-1)?.answer()
  expect(await next).toBe('4')
})

test('an error before anything is sent is an answer too', async () => {
  const ask = inBatches<number, string>(
    () => {
      throw new Error('too old')
    },
    { atOnce: 1, maxInOne: 1, maxWaitMs: 60_000 },
  )
  const ends = await Promise.allSettled([ask(1), ask(2), ask(3)])
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
})

test('a question that has waited too long is given up, and not sent', async () => {
  const stopwatch = movedStopwatch()
  const limits = { atOnce: 1, maxWaitMs: 1000, stopwatch: stopwatch.now }
  const { ask, sent, turn, asked } = slowDatabase(limits)
  void ask(1)
  await turn()
  const old = ask(2)
  stopwatch.pass(1.001)
  // The database has still not answered, and another question comes.
  const recent = ask(3)
  await expect(old).rejects.toBeInstanceOf(DatabaseBusy)
  sent[0]?.answer()
  await turn()
  expect(asked()).toEqual([[1], [3]])
  sent[1]?.answer()
  expect(await recent).toBe('3')
})
