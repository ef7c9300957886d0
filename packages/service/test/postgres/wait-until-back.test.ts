/** Work that meets a database that is unavailable: how it waits, and what is never repeated. */

import { DatabaseUnavailable } from '@latchkey/service/machine/errors'
import { waitUntilBack } from '@latchkey/service/postgres'
import { expect, test } from 'vitest'

const away = new DatabaseUnavailable('nothing listens there.')

/** Work that fails so often before it succeeds. */
function failing(times: number, error: unknown = away) {
  let runs = 0
  const work = async () => {
    runs += 1
    if (runs <= times) throw error
    return 'done'
  }
  return { work, runs: () => runs }
}

test('work that fails once is repeated when the database is back', async () => {
  const { work, runs } = failing(1)
  expect(await waitUntilBack({ isBack: async () => true, pauseMs: 0 })(work)).toBe('done')
  expect(runs()).toBe(2)
})

test('a change that may have taken effect is not repeated, nor is an error of another kind', async () => {
  const untilBack = waitUntilBack({ isBack: async () => true, pauseMs: 0 })
  for (const error of [
    new DatabaseUnavailable('lost.', { mayHaveTakenEffect: true }),
    new Error('wrong'),
  ]) {
    const { work, runs } = failing(1, error)
    await expect(untilBack(work)).rejects.toBe(error)
    expect(runs()).toBe(1)
  }
})

test('a thousand pieces of work that wait ask a few times whether the database is back', async () => {
  let probes = 0
  const isBack = async () => {
    probes += 1
    return probes > 2
  }
  const untilBack = waitUntilBack({ isBack, pauseMs: 0, maxWaitMs: 60_000 })
  const results = await Promise.all(Array.from({ length: 1000 }, () => untilBack(failing(1).work)))
  expect(new Set(results)).toEqual(new Set(['done']))
  expect(probes).toBeLessThan(10)
})

test('work fails with its own error when a probe hangs for longer than the bound', async () => {
  const isBack = () => new Promise<boolean>(() => {})
  const untilBack = waitUntilBack({ isBack, pauseMs: 0, maxWaitMs: 50 })
  await expect(untilBack(failing(1).work)).rejects.toBe(away)
})

test('work that needs no database at the moment gives its result at once', () => {
  expect(waitUntilBack({ isBack: async () => true })(() => 'known')).toBe('known')
})
