/** Collection takes what nothing leads to, after a while, and nothing else. */

import { utimesSync } from 'node:fs'
import { accessOf } from '@latchkey/hub'
import { type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import { writeTables } from '@latchkey/testing/hub/write-tables'
import { describe, expect, test } from 'vitest'
import { type CollectOptions, collect } from '../../src/maintenance/collect.ts'
import { collectXorbs } from '../../src/maintenance/collect-xorbs.ts'
import { resetUrls } from '../../src/maintenance/reset-urls.ts'
import type { ObjectKey } from '../../src/objects/object-store.ts'
import { bert, commit, other } from '../catalog/catalog-world.ts'
import { digest, hash, newKey } from '../catalog/content.ts'
import {
  all,
  bodyOf,
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

function collecting({ maintenance, now }: MaintenanceWorld, more: Partial<CollectOptions> = {}) {
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

describe('with days that deleted bytes are kept', () => {
  test('an object is unmapped at once, and its bytes go so many days later', async () => {
    const world = await openMaintenanceWorld()
    await world.upload(await world.place(bert, 'main'), 'a')
    world.passSeconds(2 * day)
    const objects = { count: 1, bytes: objectBytes }
    const kept = { xorbs: { count: 1, bytes: 100 }, objects: nothing, unmapped: objects }
    const dry = await collect(world.maintenance, { now: world.now(), keepDays: 3 })
    expect(dry).toMatchObject(kept)
    expect(await collecting(world, { keepDays: 3 })).toEqual(dry)
    expect(await world.catalog.objectOf(digest('a'))).toBeUndefined()
    world.passSeconds(3 * day - 1)
    expect(await collecting(world, { keepDays: 3 })).toEqual({ ...none, unmapped: objects })
    expect(await world.stored()).toHaveLength(1)
    world.passSeconds(1)
    const gone = { ...none, objects, freedBytes: objectBytes }
    expect(await collect(world.maintenance, { now: world.now(), keepDays: 3 })).toEqual(gone)
    expect(await collecting(world, { keepDays: 3 })).toEqual(gone)
    expect(await world.stored()).toEqual([])
    expect(await world.rows('SELECT * FROM stored_objects')).toEqual([])
  })
})

describe('an upload that was cut off', () => {
  test('is found by its row after the grace time, whether its bytes came or not', async () => {
    const world = await openMaintenanceWorld()
    await cutOff(world)
    await world.catalog.reserveObject({ key: newKey(), bytes: 7 })
    world.passSeconds(day)
    const young = { count: 2, bytes: objectBytes + 7 }
    expect(await collecting(world)).toEqual({ ...none, young })
    world.passSeconds(1)
    const gone = { ...none, objects: young, freedBytes: young.bytes }
    expect(await collect(world.maintenance, { now: world.now() })).toEqual(gone)
    expect(await collecting(world)).toEqual(gone)
    expect(await world.stored()).toEqual([])
  })
})

describe('an object that no row knows', () => {
  test('stays, unless the store is listed for it and it is old', async () => {
    const world = await openMaintenanceWorld()
    for (const _ of [1, 2]) await cutOff(world)
    await world.upload(await world.place(bert, 'main'), 'a')
    await world.database.change((tables) =>
      tables.deleteFrom('stored_objects').where('digest', 'is', null).execute(),
    )
    expect(await collecting(world)).toEqual({ ...none, young: nothing })
    expect(await collecting(world, { withUnknown: true })).toEqual({ ...none, unknown: nothing })
    world.passSeconds(day + 1)
    await world.register(await world.place(bert, 'main'), 'a')
    expect(await collecting(world)).toEqual(none)
    const unknown = { count: 2, bytes: 2 * objectBytes }
    const gone = { ...none, freedBytes: unknown.bytes, unknown }
    const dry = await collect(world.maintenance, { now: world.now(), withUnknown: true })
    expect(dry).toEqual(gone)
    expect(await world.stored()).toHaveLength(3)
    expect(await collecting(world, { withUnknown: true })).toEqual(gone)
    expect(await world.broken()).toEqual([])
    expect(await world.stored()).toHaveLength(1)
  })
})

test('two collections at once delete everything once', async () => {
  const world = await openMaintenanceWorld()
  const main = await world.place(bert, 'main')
  for (let number = 0; number < 30; number += 1) await world.upload(main, `xorb ${number}`)
  world.passSeconds(2 * day)
  const both = await Promise.all([collecting(world), collecting(world)])
  const counts = both.map((collected) => ('objects' in collected ? collected.objects.count : 0))
  expect(counts.reduce((sum, count) => sum + count)).toBe(30)
  expect(await world.stored()).toEqual([])
  expect(await world.rows('SELECT * FROM stored_objects')).toEqual([])
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

/** Its bytes are in the store, and its transaction never came. */
async function cutOff({ catalog, data, now, objects }: MaintenanceWorld): Promise<void> {
  const draft = await objects.receive(bodyOf('cut off'), 1000)
  if (draft === undefined) throw new Error('there is no draft')
  utimesSync(draftFile(data, draft), now(), now())
  await catalog.reserveObject({ key: draft.id as string as ObjectKey, bytes: draft.bytes })
  await objects.put(draft)
}
