/** Collection takes what nothing leads to, after a while, and nothing else. */

import { utimesSync } from 'node:fs'
import { accessOf } from '@latchkey/hub'
import { type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import { writeTables } from '@latchkey/testing/hub/write-tables'
import { describe, expect, test } from 'vitest'
import { collect } from '../../src/maintenance/collect.ts'
import { collectXorbs } from '../../src/maintenance/collect-xorbs.ts'
import { resetUrls } from '../../src/maintenance/reset-urls.ts'
import { bert, commit, other } from '../catalog/catalog-world.ts'
import { digest, hash } from '../catalog/content.ts'
import {
  all,
  day,
  draftFile,
  type MaintenanceWorld,
  objectBytes,
  openMaintenanceWorld,
  repo,
} from './maintenance-world.ts'

const nothing = { count: 0, bytes: 0 }
const none = {
  ...{ xorbs: nothing, objects: nothing, drafts: nothing, freedBytes: 0 },
  ...{ unmapped: nothing, young: nothing },
}

/** How far the hub's journal has come. */
function headOf({ directoryRows }: MaintenanceWorld): number {
  return Number(directoryRows('SELECT number FROM journal_head')[0]?.['number'])
}

function collecting({ maintenance, now }: MaintenanceWorld, more: { graceSeconds?: number } = {}) {
  return collect(maintenance, { now: now(), isDryRun: false, ...more })
}

describe('what may still be needed stays', () => {
  test('no grace time is shorter than an hour', async () => {
    const world = await openMaintenanceWorld()
    await expect(collecting(world, { graceSeconds: 3599 })).rejects.toThrow(RangeError)
    expect(await collecting(world, { graceSeconds: 3600 })).toEqual(none)
  })

  test.each([
    ['a day', {}, day],
    ['two hours, if that is the grace time', { graceSeconds: 7200 }, 7200],
  ])('an unused xorb, for %s', async (_, options, seconds) => {
    const world = await openMaintenanceWorld()
    await world.upload(await world.place(bert, 'main'), 'a')
    world.passSeconds(seconds)
    const before = await world.everything()
    expect(await collecting(world, options)).toEqual(none)
    expect(await world.everything()).toEqual(before)
    world.passSeconds(1)
    expect(await collecting(world, options)).toMatchObject({ xorbs: { count: 1, bytes: 100 } })
  })

  test('what a file of one ref is made of, in every ref of the repository', async () => {
    const world = await openMaintenanceWorld()
    const main = await world.place(bert, 'main')
    await world.done('ref set', { repository: bert, ref: 'dev', commit: commit(2) })
    const dev = await world.place(bert, 'dev')
    for (const place of [main, dev]) {
      await world.upload(place, 'a')
      await world.upload(place, 'b')
    }
    await world.register(main, 'both', ['a', 'b'])
    world.passSeconds(2 * day)
    expect(await collecting(world)).toEqual(none)
  })

  test('a xorb that another ref of the repository got lately', async () => {
    const world = await openMaintenanceWorld()
    await world.upload(await world.place(bert, 'main'), 'a')
    await world.done('ref set', { repository: bert, ref: 'dev', commit: commit(2) })
    world.passSeconds(2 * day)
    await world.upload(await world.place(bert, 'dev'), 'a')
    expect(await collecting(world)).toEqual(none)
  })

  test('a xorb that was uploaded again, which changes nothing in who sees it', async () => {
    const world = await openMaintenanceWorld()
    const main = await world.place(bert, 'main')
    await world.upload(main, 'a')
    await world.done('ref set', { repository: bert, ref: 'main', commit: commit(2) })
    world.passSeconds(2 * day)
    expect(await world.upload(main, 'a')).toBe(false)
    expect(await collecting(world)).toEqual(none)
    const seen = await world.view(bert, commit(2))
    expect(await world.catalog.findXorb(seen, hash('a'))).toBeDefined()
    world.passSeconds(2 * day)
    expect(await collecting(world)).toMatchObject({ xorbs: { count: 1 } })
  })

  test('an object that another repository has', async () => {
    const world = await openMaintenanceWorld()
    const theirs = await world.place(other, 'main')
    await world.upload(await world.place(bert, 'main'), 'a')
    await world.upload(theirs, 'a')
    await world.register(theirs, 'a')
    world.passSeconds(2 * day)
    const collected = await collecting(world)
    expect(collected).toEqual({ ...none, xorbs: { count: 1, bytes: 100 } })
    expect(await world.stored()).toHaveLength(1)
    expect(await world.broken()).toEqual([])
  })

  test('an object without a row, for the grace time', async () => {
    const world = await openMaintenanceWorld()
    await world.upload(await world.place(bert, 'main'), 'a')
    await world.done('repo delete', { repository: bert })
    world.passSeconds(day)
    const objects = { count: 1, bytes: objectBytes }
    expect(await collecting(world)).toEqual({ ...none, young: objects })
    world.passSeconds(1)
    expect(await collecting(world)).toEqual({ ...none, objects, freedBytes: objectBytes })
    expect(await world.stored()).toEqual([])
  })

  test('a draft, for two hours', async () => {
    const world = await openMaintenanceWorld()
    await draftOf(world, world.now())
    world.passSeconds(7200)
    expect(await collecting(world)).toEqual(none)
    world.passSeconds(1)
    expect(await collecting(world)).toEqual({
      ...none,
      drafts: { count: 1, bytes: 5 },
      freedBytes: 5,
    })
    expect(await collecting(world)).toEqual(none)
  })
})

describe('what nothing leads to goes', () => {
  test('an unused xorb, with its chunks and its object; nobody finds it any more', async () => {
    const world = await openMaintenanceWorld()
    const main = await world.place(bert, 'main')
    for (const word of ['a', 'b']) await world.upload(main, word)
    await world.register(main, 'b')
    world.passSeconds(2 * day)
    expect(await collecting(world)).toEqual({
      xorbs: { count: 1, bytes: 100 },
      objects: { count: 1, bytes: objectBytes },
      drafts: nothing,
      freedBytes: objectBytes,
      unmapped: nothing,
      young: nothing,
    })
    const seen = await world.view(bert, 'main')
    expect(await world.catalog.findXorb(seen, hash('a'))).toBeUndefined()
    expect(await world.catalog.findChunk(seen, hash('chunk of a'))).toBeUndefined()
    expect(await world.catalog.findChunk(seen, hash('chunk of b'))).toBeDefined()
    expect((await world.stored()).map(({ key }) => key)).toEqual([
      await world.catalog.objectOf(digest('b')),
    ])
    expect(await world.rows('SELECT bytes, objects FROM stored_totals')).toEqual([
      { bytes: 144, objects: 2 },
    ])
  })

  test('in any number, however few are judged at once', async () => {
    const world = await openMaintenanceWorld()
    const main = await world.place(bert, 'main')
    for (let number = 0; number < 100; number += 1) await world.upload(main, `xorb ${number}`)
    await world.register(main, 'some', ['xorb 7', 'xorb 57', 'xorb 77'])
    const before = unixSeconds(world.now() + 1)
    const wanted = { before, isDryRun: false, now: world.now(), maxCandidates: 23 }
    const gone = (await all(collectXorbs(world.maintenance, wanted))).flat()
    expect(gone).toHaveLength(97)
    expect(await world.broken()).toEqual([])
    world.passSeconds(2 * day)
    expect(await collecting(world)).toMatchObject({ xorbs: nothing, objects: { count: 97 } })
  })
})

describe('the epoch of a repository', () => {
  // conformance: Embedded storage / The storage URL changes when cached content is removed
  test('becomes a new number of the journal when something of it went, and only there', async () => {
    const world = await openMaintenanceWorld()
    const ours = await world.place(bert, 'main')
    const theirs = await world.place(other, 'main')
    for (const word of ['a', 'b', 'c']) await world.upload(ours, word)
    await world.upload(theirs, 'a')
    await world.register(theirs, 'a')
    world.passSeconds(2 * day)
    const from = headOf(world)
    await collecting(world)
    const [first = 0, untouched] = world.epochs()
    expect([first > from, first <= headOf(world), untouched]).toEqual([true, true, 0])
    await collecting(world)
    expect(world.epochs()).toEqual([first, 0])
    await world.upload(ours, 'd')
    world.passSeconds(2 * day)
    await collecting(world)
    expect(world.epochs()[0]).toBeGreaterThan(first)
  })

  // conformance: Embedded storage / The storage URL changes when cached content is removed
  test('is never one that it was, when the database is an old copy again', async () => {
    const world = await openMaintenanceWorld()
    const target = await world.place(bert, 'main')
    const given = new Set<number>()
    for (const word of ['a', 'b', 'c']) {
      await world.upload(target, word)
      world.passSeconds(2 * day)
      await collecting(world)
      given.add(world.epochs()[0] ?? 0)
    }
    await writeTables(world.store.directory, (tables) =>
      tables.updateTable('repositories').set({ epoch: 0 }).execute(),
    )
    await resetUrls(world.maintenance)
    expect(given.size).toBe(3)
    for (const epoch of given) expect(world.epochs()[0]).toBeGreaterThan(epoch)
  })

  test('stays when only objects and drafts went', async () => {
    const world = await openMaintenanceWorld()
    await world.upload(await world.place(bert, 'main'), 'a')
    await world.done('repo delete', { repository: bert })
    await draftOf(world, world.now())
    world.passSeconds(2 * day)
    expect(await collecting(world)).toMatchObject({ objects: { count: 1 }, drafts: { count: 1 } })
    expect(world.epochs()).toEqual([0])
  })

  // conformance: Embedded storage / The storage URL changes when cached content is removed
  test('leads to another address of the storage at once', async () => {
    const world = await openMaintenanceWorld()
    const { findAccess } = accessOf(world.store.access)
    const asked = {
      hubTokenHash: undefined,
      repo: repo(bert),
      revision: { kind: 'default' },
    } as const
    const epoch = async () => (await findAccess({ now: world.now(), ...asked })).repository?.epoch
    expect(await epoch()).toBe(0)
    await world.upload(await world.place(bert, 'main'), 'a')
    world.passSeconds(2 * day)
    await collecting(world)
    await new Promise(setImmediate)
    expect(await epoch()).toBe(world.epochs()[0])
    expect(world.raised()).toEqual([true, false])
  })
})

describe('a dry run', () => {
  // conformance: Embedded storage / Garbage collection during uploads loses no content
  test('changes nothing, and says what a real one then does', async () => {
    const world = await openMaintenanceWorld()
    await fillWithEverything(world)
    const before = await world.everything()
    const told = await collect(world.maintenance, { now: world.now() })
    expect(await world.everything()).toEqual(before)
    expect(told).toEqual({
      xorbs: { count: 4, bytes: 400 },
      objects: { count: 3, bytes: 3 * objectBytes },
      drafts: { count: 1, bytes: 5 },
      freedBytes: 3 * objectBytes + 5,
      unmapped: nothing,
      young: nothing,
    })
    expect(await collecting(world)).toEqual(told)
    expect(await world.broken()).toEqual([])
  })
})

/** Unused in one repository, in two, in one while another needs it; without a row; a draft. */
async function fillWithEverything(world: MaintenanceWorld): Promise<void> {
  const ours = await world.place(bert, 'main')
  const theirs = await world.place(other, 'main')
  await world.done('ref set', { repository: bert, ref: 'dev', commit: commit(2) })
  await world.upload(await world.place(bert, 'dev'), 'left over')
  await world.done('ref delete', { repository: bert, ref: 'dev' })
  await world.upload(ours, 'ours')
  for (const place of [ours, theirs]) await world.upload(place, 'twice')
  for (const place of [ours, theirs]) await world.upload(place, 'needed')
  await world.register(theirs, 'needed')
  await draftOf(world, world.now())
  await world.followed()
  world.passSeconds(2 * day)
}

async function draftOf({ data, objects }: MaintenanceWorld, moment: UnixSeconds): Promise<void> {
  const draft = await objects.receive(body(), 10)
  if (draft === undefined) throw new Error('there is no draft')
  utimesSync(draftFile(data, draft), moment, moment)
}

async function* body(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('draft')
}
