/** A hub knows the directory as it is, or as it was not long ago; past the bound it answers nothing. */

import { breakableLine } from '@latchkey/testing/machine/breakable-line'
import { type OwnDatabase, ownDatabase } from '@latchkey/testing/postgres/own-database'
import { throughPort } from '@latchkey/testing/postgres/through-port'
import { isPostgresMissing } from '@latchkey/testing/tools/postgres-programs'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openPostgresStore } from '../../../src/stores/postgres/open-store.ts'
import { defaultStaleness } from '../../../src/stores/store.ts'
import { emptying } from '../test-store.ts'
import { applyFile, openHub, seen, settingsOf } from './open-hub.ts'

const isMissing = isPostgresMissing('nothing is known of staleness')

const open = 'models/acme/open'
const file = {
  accounts: [{ name: 'ada' }, { name: 'bob' }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
  repositories: [
    { type: 'model', id: 'acme/open', visibility: 'public', branches: { main: '1'.repeat(40) } },
    { type: 'model', id: 'acme/closed', visibility: 'private', branches: { main: '2'.repeat(40) } },
  ],
  hubTokens: [{ account: 'ada', name: 'laptop', kind: 'write' }],
}

let own: OwnDatabase
beforeAll(async () => {
  if (isMissing) return
  own = await ownDatabase()
  const store = await openPostgresStore(settingsOf(own.url), { create: true })
  await store.close()
})
beforeEach(async () => {
  if (isMissing) return
  const inSchema = ['set search_path = latchkey_hub', ...emptying]
  await own.sql(inSchema.join(';\n'))
})

const staleness = { ...defaultStaleness, maxMs: 3000 }
const set = (visibility: string) => ['repo set', { repository: open, visibility }] as const

describe.skipIf(isMissing)('a hub whose line is half-open', () => {
  test('answers nothing past the bound, refusals included, and comes back by itself', async () => {
    const line = await breakableLine(Number(new URL(own.url).port))
    onTestFinished(() => line.close())
    const hub = await openHub(throughPort(own.url, line.port), { staleness })
    await applyFile(hub, file)
    const ask = () =>
      Promise.all([seen(hub.findAccess(open)), seen(hub.findAccess('models/acme/none'))])
    await expect.poll(ask).toEqual(['public', 'absent'])
    const { learned } = await hub.access.version()
    line.stall()
    await expect
      .poll(() => seen(hub.findAccess(open)), { interval: 20 })
      .toBe('DatabaseUnavailable')
    expect(hub.access.isFresh(learned)).toBe(false)
    expect(performance.now() - learned.steadyMs).toBeGreaterThan(staleness.maxMs)
    expect(await ask()).toEqual(['DatabaseUnavailable', 'DatabaseUnavailable'])
    expect(await hub.isReady()).toBe(false)
    // They wait for a reconnect together, not one after the other: in turn they would take 25 minutes.
    const started = performance.now()
    await Promise.all(
      Array.from({ length: 1000 }, (_, at) => seen(hub.findAccess(`models/acme/${at}`))),
    )
    expect(performance.now() - started).toBeLessThan(15_000)
    await expect.poll(() => hub.events).toContain('database_unavailable')
    line.mend()
    await expect.poll(ask).toEqual(['public', 'absent'])
    expect(hub.events.filter((event) => event === 'database_unavailable')).toHaveLength(1)
  })

  test('lets nobody wait whose question was sent before', async () => {
    const line = await breakableLine(Number(new URL(own.url).port))
    onTestFinished(() => line.close())
    const hub = await openHub(throughPort(own.url, line.port), { staleness })
    await applyFile(hub, file)
    line.stall()
    const started = performance.now()
    // Many more than fit into the statements that may be on their way.
    const asking = Array.from({ length: 3000 }, (_, at) =>
      seen(hub.findAccess(`models/acme/${at}`)),
    )
    // Those that could not be sent any more are given up earlier.
    const ends = new Set<unknown>(['DatabaseUnavailable', 'DatabaseBusy'])
    expect(new Set(await Promise.all(asking)).isSubsetOf(ends)).toBe(true)
    expect(performance.now() - started).toBeLessThan(12_000)
    line.mend()
  })
})

describe.skipIf(isMissing)('a change at one hub', () => {
  /** Each change waits for the other hub to have seen the one before. */
  async function secondsFor(changes: number, options: { hub?: undefined }): Promise<number> {
    const [here, there] = [await openHub(own.url), await openHub(own.url, options)]
    await applyFile(here, file)
    if (!('hub' in options))
      await expect.poll(() => there.events).toContain('notifications_recovered')
    const started = performance.now()
    for (let change = 0; change < changes; change += 1) {
      const visibility = change % 2 === 0 ? 'private' : 'public'
      await here.done(...set(visibility))
      await expect.poll(() => seen(there.findAccess(open)), { interval: 5 }).toBe(visibility)
    }
    return (performance.now() - started) / 1000
  }

  test('is seen at another at once, because the database notifies', async () => {
    // By the look of every second alone it would take sixteen.
    expect(await secondsFor(16, {})).toBeLessThan(8)
  })

  test('is seen at another within a second or so without notifications', async () => {
    expect(await secondsFor(3, { hub: undefined })).toBeLessThan(3 * 5)
  })

  test('is seen at another also if its notification is lost', async () => {
    const [here, there] = [await openHub(own.url), await openHub(own.url)]
    await applyFile(here, file)
    const trigger = (state: string) =>
      own.sql(`alter table latchkey_hub.journal_head ${state} trigger head_told`)
    await trigger('disable')
    onTestFinished(async () => void (await trigger('enable')))
    expect(await seen(there.findAccess(open))).toBe('public')
    await here.done(...set('private'))
    await expect.poll(() => seen(there.findAccess(open))).toBe('private')
  })

  test('is found at another at once by a question past the caches', async () => {
    const [here, there] = [await openHub(own.url), await openHub(own.url, { hub: undefined })]
    await applyFile(here, file)
    await here.done(...set('private'))
    const anonymous = { anew: true }
    for (const visibility of ['public', 'private', 'public', 'private']) {
      await here.done(...set(visibility))
      const found = await there.findAccess(open, anonymous)
      expect(found.repository?.visibility).toBe(visibility)
      expect(found.isCurrent).toBe(true)
    }
  })

  test('is found at the same hub by whoever made it', async () => {
    const hub = await openHub(own.url, { hub: undefined })
    await applyFile(hub, file)
    for (const visibility of ['private', 'public', 'private', 'public']) {
      await hub.done(...set(visibility))
      expect(await seen(hub.findAccess(open))).toBe(visibility)
    }
  })
})

describe.skipIf(isMissing)('a notification', () => {
  test('of a number that there never was raises nothing, and stops nothing', async () => {
    const hub = await openHub(own.url)
    await applyFile(hub, file)
    await expect.poll(() => hub.events).toContain('notifications_recovered')
    const { asOf } = await hub.findAccess(open)
    // Any role that may connect to the database can send it.
    await own.cluster.createRole('nosy')
    onTestFinished(async () => void (await own.cluster.sql('drop role nosy')))
    for (const payload of ['9007199254740991', '-1', 'NaN', '1e400', ''])
      await own.sql(`set role nosy; notify latchkey_hub, '${payload}'`)
    await new Promise((later) => setTimeout(later, 1500))
    for (const path of [open, 'models/acme/never-asked-for']) {
      expect((await hub.findAccess(path)).asOf).toBe(asOf)
    }
    await own.sql('begin; update latchkey_hub.journal_head set number = number + 1000; rollback')
    expect((await hub.findAccess(open, { anew: true })).asOf).toBe(asOf)
    await hub.done(...set('private'))
    expect(await seen(hub.findAccess(open))).toBe('private')
  })
})

describe.skipIf(isMissing)('a write past the journal', () => {
  test.each([
    ['an update', `update latchkey_hub.repositories set visibility = 'private'`],
    ['a deletion', 'delete from latchkey_hub.repositories'],
    ['a truncation', 'truncate latchkey_hub.repositories cascade'],
  ])('empties the caches: %s', async (_, text) => {
    const hub = await openHub(own.url)
    await applyFile(hub, file)
    const before = await hub.findAccess(open)
    expect(before.repository?.visibility).toBe('public')
    await own.sql(text)
    await expect.poll(() => seen(hub.findAccess(open))).not.toBe('public')
    expect((await hub.findAccess(open)).asOf).toBe(before.asOf)
  })

  test('of the last use does not', async () => {
    const hub = await openHub(own.url)
    await applyFile(hub, file)
    const version = async () => {
      const { learned, ...rest } = await hub.access.version()
      return rest
    }
    const before = await version()
    await own.sql('update latchkey_hub.hub_tokens set last_used_at = 1790000000')
    await new Promise((later) => setTimeout(later, 1500))
    expect(await version()).toEqual(before)
  })
})
