/** The log says that a database is away where it is, and not where it is busy. */

import {
  DatabaseBusy,
  DatabaseUnavailable,
  type PostgresDatabase,
} from '@latchkey/service/postgres'
import { expect, onTestFinished, test } from 'vitest'
import { followHead } from '../../../src/stores/postgres/follow-head.ts'
import { defaultStaleness } from '../../../src/stores/store.ts'

const row = { number: 1, mark: 1, is_replica: 0, server: 'a server' }

/** A hub beside a database that answers as the test says. */
async function follow() {
  const events: string[] = []
  let answer = async (): Promise<readonly unknown[]> => [row]
  let asked = 0
  let laterMs = 0
  const now = () => {
    const { steadyMs, wallMs } = defaultStaleness.now()
    return { steadyMs: steadyMs + laterMs, wallMs: wallMs + laterMs }
  }
  const query = async () => {
    asked += 1
    return await answer()
  }
  const head = await followHead({
    database: { query: query as PostgresDatabase<unknown>['query'], renew() {} },
    server: row.server,
    schema: 'latchkey_hub',
    staleness: { now, maxMs: 600_000 },
    onOtherServer: async () => row.server,
    tell: (event) => void events.push(event),
  })
  onTestFinished(() => head.close())
  return {
    events,
    head,
    /** From now on; done when it was asked twice, so that what follows the first is over. */
    async answers(next: () => Promise<readonly unknown[]>) {
      answer = next
      const before = asked
      await expect.poll(() => asked, { timeout: 60_000 }).toBeGreaterThan(before + 1)
    },
    wait: (ms: number) => {
      laterMs += ms
    },
  }
}

const busy = () => Promise.reject(new DatabaseBusy('all connections are in use'))
const away = () => Promise.reject(new DatabaseUnavailable('nothing listens there'))

test('a busy database is not away, and the hub answers by what it knows', async () => {
  const { head, events, answers } = await follow()
  await answers(busy)
  expect(events).toEqual([])
  expect(head.version().number).toBe(1)
})

test('a database that is busy for longer than the bound counts as away', async () => {
  const { head, events, answers, wait } = await follow()
  wait(600_001)
  await answers(busy)
  expect(events).toEqual(['database_unavailable'])
  expect(() => head.version()).toThrow(DatabaseUnavailable)
  await answers(async () => [row])
  expect(events).toEqual(['database_unavailable', 'database_recovered'])
})

test('a database that was away and is busy now is not back yet', async () => {
  const { events, answers } = await follow()
  await answers(away)
  await answers(busy)
  expect(events).toEqual(['database_unavailable'])
  await answers(async () => [row])
  expect(events).toEqual(['database_unavailable', 'database_recovered'])
})
