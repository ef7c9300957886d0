/** Hubs on one PostgreSQL count together: what one lets through is known to the others a second later. */

import { type Limiter, limiter } from '@latchkey/service/limits/rate-limiter'
import { readPostgresSettings } from '@latchkey/service/postgres'
import { type OwnDatabase, ownDatabase } from '@latchkey/testing/postgres/own-database'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openPostgresStore } from '../../../src/stores/postgres/open-store.ts'

const isMissing = isPostgresMissing('it is not shown that hubs count together')
const perMinute = 20

describe.skipIf(isMissing)('hubs on one database', () => {
  let server: OwnDatabase
  beforeAll(async () => {
    server = await ownDatabase()
  })

  async function limiterOf(hub: string) {
    const store = await openPostgresStore(readPostgresSettings(server.url), { create: true, hub })
    onTestFinished(() => store.close())
    // Time stands still, so that no allowance comes back.
    return limiter(perMinute, () => 0, store.counts?.limit('hub token'))
  }

  /** A hub hears only of counts that come after its first exchange, which it makes after it is open. */
  async function hears(listener: Limiter, teller: Limiter): Promise<void> {
    const keys: string[] = []
    const isHeard = () => {
      const key = `hello ${keys.length}`
      keys.push(key)
      teller.take(key, perMinute)
      return keys.some((told) => listener.wait(told) > 0)
    }
    await expect.poll(isHeard).toBe(true)
  }

  test('hear of each other, and a limit holds for all of them together', async () => {
    const [one, other] = [await limiterOf('one'), await limiterOf('other')]
    await hears(other, one)
    for (let count = 0; count < perMinute; count += 1) expect(one.take('ada')).toBe(0)
    await expect.poll(() => other.wait('ada')).toBeGreaterThan(0)
    expect(other.wait('bob')).toBe(0)
  })

  test('pay back what they let through before they heard of each other', async () => {
    const [one, other] = [await limiterOf('one'), await limiterOf('other')]
    await Promise.all([hears(other, one), hears(one, other)])
    for (const hub of [one, other]) {
      for (let count = 0; count < perMinute; count += 1) expect(hub.take('cat')).toBe(0)
    }
    const ownWait = one.wait('cat')
    await expect.poll(() => one.wait('cat')).toBe(ownWait + 60_000)
  })

  test('tell the largest counts of a second, however many addresses there were', async () => {
    const [one, other] = [await limiterOf('one'), await limiterOf('other')]
    await hears(other, one)
    for (let index = 0; index < 3000; index += 1) one.take(`address ${index}`)
    one.take('eve', perMinute)
    await expect.poll(() => other.wait('eve')).toBeGreaterThan(0)
    const most = `SELECT max(json_array_length(counts)) FROM latchkey_hub.told_counts`
    expect(Number(await server.sql(most))).toBe(1000)
  })
})
