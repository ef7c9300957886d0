/** A transaction knows the number of its first entry before it makes one. */

import { isRefusal, type JournalNumber, refuse } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import type { Transaction } from '../../src/tables/directory.ts'
import { openDirectory } from '../verbs/open-directory.ts'

const moment = Date.UTC(2027, 0, 20)

/** A directory with a clock that the test moves, in milliseconds. */
async function opened() {
  const clock = { milliseconds: moment }
  const { store, done } = await openDirectory({ nowMs: () => clock.milliseconds })
  const change = async (work: (transaction: Transaction) => Promise<void>) => {
    const number = await store.directory.change(async (transaction) => {
      await work(transaction)
      return transaction.number
    })
    if (isRefusal(number)) throw new Error(number.detail)
    return number
  }
  const entriesFrom = async (number: JournalNumber) => {
    const { items } = await done('changes')
    const all = items as { number: number; at: string; verb: string }[]
    return all.filter((entry) => entry.number >= number)
  }
  return { clock, store, change, entriesFrom }
}

const putOne = ({ putAs }: Transaction, verb = 'test') => putAs({ verb })([{ thing: 'hub' }])

test.each([
  ['after the last entry', 1000],
  ['in the same millisecond as the last entry', 0],
  ['under a clock that was set back', -3_600_000],
])('it is the number of the first entry, %s', async (_, passed) => {
  const { clock, change, entriesFrom } = await opened()
  const last = await change(putOne)
  clock.milliseconds += passed
  const number = await change(putOne)
  expect(number).toBe(Math.max(last + 1, clock.milliseconds))
  expect(await entriesFrom(number)).toMatchObject([{ number }])
})

test('what a transaction puts later goes on from there, under the same time, however long it takes', async () => {
  const { clock, change, entriesFrom } = await opened()
  const begun = new Date(clock.milliseconds).toISOString()
  const number = await change(async (transaction) => {
    clock.milliseconds += 5000
    await putOne(transaction)
    clock.milliseconds += 5000
    await putOne(transaction)
  })
  expect(await entriesFrom(number)).toMatchObject([
    { number, at: begun },
    { number: number + 1, at: begun },
  ])
})

test('a transaction that changes nothing, or is undone, takes no number', async () => {
  const { store, change, entriesFrom } = await opened()
  const unused = await change(async () => {})
  await store.directory.change(async (transaction) => {
    await putOne(transaction, 'undone')
    return refuse('conflict', 'No.')
  })
  const number = await change(putOne)
  expect(number).toBe(unused)
  expect(await entriesFrom(number)).toMatchObject([{ number, verb: 'test' }])
})

test('of transactions that begin at once, none has the number of another', async () => {
  const { change } = await opened()
  const [first = 0, ...others] = await Promise.all([1, 2, 3, 4].map(() => change(putOne)))
  expect(others).toEqual([first + 1, first + 2, first + 3])
})
