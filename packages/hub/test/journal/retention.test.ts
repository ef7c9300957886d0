/** Retention removes the oldest entries and nothing else. */

import { expect, test } from 'vitest'
import { pruneJournal } from '../../src/journal/prune-journal.ts'
import type { Directory } from '../../src/tables/directory.ts'
import { openDirectory } from '../verbs/open-directory.ts'

const day = 24 * 60 * 60 * 1000
const start = Date.UTC(2050, 0, 1)

interface Left {
  readonly number: number
  readonly previous: number
  readonly at_milliseconds: number
}

async function openJournal() {
  let nowMs = start
  const { store, ...directory } = await openDirectory({ nowMs: () => nowMs })
  return {
    ...directory,
    directory: store.directory,
    /** So many entries on this day after the start. */
    async append(onDay: number, count = 1) {
      nowMs = start + onDay * day
      const entries = Array.from({ length: count }, () => ({ thing: 'hub' as const }))
      await store.directory.change(({ putAs }) => putAs({ verb: 'test' })(entries))
    },
    prune: (onDay: number, days: number, on: Directory = store.directory) =>
      pruneJournal(on, { days, nowMs: start + onDay * day }),
    left: (): Promise<Left[]> =>
      store.directory.read((tables) =>
        tables.selectFrom('journal').selectAll().orderBy('number').execute(),
      ),
  }
}

function daysOf(entries: readonly Left[]): number[] {
  return entries.map(({ at_milliseconds }) => (at_milliseconds - start) / day)
}

test('entries older than the days that are kept go, and a second time there is nothing to remove', async () => {
  const { append, prune, left, done } = await openJournal()
  for (const onDay of [0, 1, 2, 3]) await append(onDay)
  // The first entry of all is from when the file was made.
  expect(await prune(4, 2)).toBe(3)
  const [oldest, newest] = await left()
  expect(daysOf(await left())).toEqual([2, 3])
  expect(await prune(4, 2)).toBe(0)
  expect(await done('changes')).toMatchObject({
    items: [{ number: oldest?.number }, { number: newest?.number }],
    oldest: Number(oldest?.previous) + 1,
    last: newest?.number,
  })
})

test('the newest entry stays, whatever its age, and the next one names it', async () => {
  const { append, prune, left } = await openJournal()
  for (const onDay of [0, 1]) await append(onDay)
  expect(await prune(1000, 1)).toBe(2)
  const [newest] = await left()
  await append(1000)
  expect(daysOf(await left())).toEqual([1, 1000])
  expect((await left()).at(-1)?.previous).toBe(newest?.number)
})

test('a clock that was set back tears no hole: what follows a young entry stays', async () => {
  const { append, prune, left } = await openJournal()
  for (const onDay of [0, 10, 1, 11]) await append(onDay)
  expect(await prune(11, 5)).toBe(2)
  const entries = await left()
  expect(daysOf(entries)).toEqual([10, 1, 11])
  for (const [index, { number }] of entries.slice(0, -1).entries()) {
    expect(entries[index + 1]?.previous).toBe(number)
  }
})

test('many entries go in small transactions, between which others may write', async () => {
  const { append, prune, left, directory } = await openJournal()
  await append(0, 2500)
  await append(9)
  let transactions = 0
  let most = 0
  const counting: Directory = {
    ...directory,
    async note(what, work) {
      const before = (await left()).length
      const done = await directory.note(what, work)
      most = Math.max(most, before - (await left()).length)
      transactions += 1
      return done
    },
  }
  expect(await prune(9, 1, counting)).toBe(2501)
  expect(daysOf(await left())).toEqual([9])
  expect(most).toBe(1000)
  expect(transactions).toBe(4)
})

test('numbers go on from the last one, also when its entries are gone and the clock was set back', async () => {
  const { append, prune, left } = await openJournal()
  for (const onDay of [5, 6]) await append(onDay)
  await prune(100, 1)
  const [newest] = await left()
  await append(0)
  expect((await left()).at(-1)).toMatchObject({
    number: Number(newest?.number) + 1,
    previous: newest?.number,
  })
})
