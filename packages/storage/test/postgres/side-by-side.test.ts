/** Uploads to different repositories run at the same time, collection beside them, and each waits only for what it must. */

import { setTimeout as delay } from 'node:timers/promises'
import { journalNumber } from '@latchkey/protocol'
import { expect, onTestFinished, test } from 'vitest'
import type { WritablePlace } from '../../src/catalog/catalog.ts'
import { hold } from '../../src/catalog/locks.ts'
import { addTombstones, sweepPlaces } from '../../src/catalog/removed-places.ts'
import { hearing } from '../../src/following/known-number.ts'
import { collect } from '../../src/maintenance/collect.ts'
import { unmapUnnamed } from '../../src/maintenance/remove-objects.ts'
import {
  beforeCommit,
  bert,
  type CatalogWorld,
  commit,
  openWorld,
  other,
} from '../catalog/catalog-world.ts'
import { addXorb, digest, hash } from '../catalog/content.ts'
import { day, openMaintenanceWorld } from '../maintenance/maintenance-world.ts'

const third = 'models/acme/third'

/** Long enough for what does not wait; what is shown to wait is shown by its order too. */
const waitingMs = 300

async function withThird<World extends CatalogWorld>(world: World): Promise<World> {
  await world.done('repo create', { repository: third, visibility: 'public' })
  await world.done('ref set', { repository: third, ref: 'main', commit: commit(1) })
  return world
}

/** A transaction as a long upload has one, until it is released. */
async function holdLong({ database }: CatalogWorld, { repositoryUid }: WritablePlace) {
  const held = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const done = database.change(async (tables) => {
    await hold(tables, { link: 'shared', repositories: [repositoryUid] })
    held.resolve()
    await release.promise
  })
  onTestFinished(() => release.resolve())
  await held.promise
  return {
    async release() {
      release.resolve()
      await done
    },
  }
}

/** Uploads whose objects get their names only when both are at it. */
function meeting(count: number) {
  const all = Promise.withResolvers<void>()
  let here = 0
  return async () => {
    here += 1
    if (here === count) all.resolve()
    await all.promise
  }
}

async function isSettled(work: Promise<unknown>): Promise<boolean> {
  const settled = work.then(
    () => true,
    () => true,
  )
  return Promise.race([settled, delay(waitingMs, false)])
}

test('two uploads to two repositories are in their transactions together, while a third repository is held', async () => {
  const world = await withThird(await openWorld())
  const { catalog, place } = world
  const long = await holdLong(world, await place(third, 'main'))
  const together = beforeCommit(world, meeting(2))
  // Of one object they would wait for each other.
  const uploads = [bert, other].map(async (repository) =>
    addXorb(together, await place(repository, 'main'), repository),
  )
  const waiting = addXorb(catalog, await place(third, 'main'), 'a')
  expect(await Promise.all(uploads)).toEqual([true, true])
  expect(await isSettled(waiting)).toBe(false)
  await long.release()
  expect(await waiting).toBe(true)
})

test('uploads to one repository wait for each other and leave connections to other repositories', async () => {
  const world = await withThird(await openWorld())
  const { catalog, place } = world
  const main = await place(third, 'main')
  const long = await holdLong(world, main)
  const many = Array.from({ length: 40 }, (_, at) => addXorb(catalog, main, `word ${at}`))
  expect(await addXorb(catalog, await place(bert, 'main'), 'a')).toBe(true)
  await long.release()
  expect(await Promise.all(many)).toEqual(many.map(() => true))
})

test('collection frees what is unused while an upload to another repository is under way', async () => {
  const world = await withThird(await openMaintenanceWorld())
  const { maintenance, upload, place, now, passSeconds } = world
  await upload(await place(bert, 'main'), 'unused')
  passSeconds(2 * day)
  const long = await holdLong(world, await place(third, 'main'))
  const collected = await collect(maintenance, { now: now(), isDryRun: false })
  expect(collected).toMatchObject({ xorbs: { count: 1 }, objects: { count: 1 } })
  await long.release()
  expect(await world.broken()).toEqual([])
})

test('rows of a removed repository are deleted while an upload to another one is under way', async () => {
  const world = await withThird(await openWorld())
  const { catalog, database, place, rows, now } = world
  const main = await place(bert, 'main')
  await addXorb(catalog, main, 'a')
  await database.change((tables) => addTombstones(tables, [main.repositoryUid], now()))
  const long = await holdLong(world, await place(third, 'main'))
  await sweepPlaces(database)
  expect(await rows('SELECT 1 FROM stored_xorbs')).toEqual([])
  await long.release()
})

test('an object that an upload is about to name is not removed under it', async () => {
  const world = await openMaintenanceWorld()
  const { catalog, maintenance, place, upload } = world
  await upload(await place(other, 'main'), 'beside')
  const begun = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  onTestFinished(() => goOn.resolve())
  const waiting = beforeCommit(world, async () => {
    begun.resolve()
    await goOn.promise
  })
  const uploading = addXorb(waiting, await place(bert, 'main'), 'a')
  await begun.promise
  const removing = unmapUnnamed(maintenance, [digest('a')])
  expect(await isSettled(removing)).toBe(false)
  // No other object waits for it.
  expect(await unmapUnnamed(maintenance, [digest('nobody has it')])).toEqual([])
  goOn.resolve()
  expect(await uploading).toBe(true)
  expect(await removing).toEqual([])
  expect(await catalog.objectOf(digest('a'))).toBeDefined()
})

test('a number that a token names is heard when no write below it is under way any more', async () => {
  const world = await openWorld()
  const { catalog, database, place, now } = world
  const main = await place(bert, 'main')
  const begun = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  onTestFinished(() => goOn.resolve())
  const waiting = beforeCommit(world, async () => {
    begun.resolve()
    await goOn.promise
  })
  const uploading = addXorb(waiting, main, 'a')
  await begun.promise
  const before = journalNumber(now() * 1000 + 60_000)
  const hear = hearing({ database, clock: now, knownNumber: journalNumber(0) })
  const heard = hear({ ...main, refs: [{ uid: main.refUid, before }] })
  expect(await isSettled(heard)).toBe(false)
  goOn.resolve()
  await uploading
  const view = await heard
  // What the view holds at first it holds for ever.
  expect(await catalog.findXorb(view, hash('a'))).toBeDefined()
  await addXorb(catalog, main, 'b')
  expect(await catalog.findXorb(view, hash('b'))).toBeUndefined()
})
