/** Reconciling removes what the hub does not have, and nothing that the hub has or makes meanwhile. */

import type { RefUid, RepositoryUid } from '@latchkey/protocol'
import { writeTables } from '@latchkey/testing/hub/write-tables'
import { describe, expect, test } from 'vitest'
import type { Place } from '../../src/catalog/catalog.ts'
import { beginAnew, readLinkState } from '../../src/catalog/link-state.ts'
import { addTombstones } from '../../src/catalog/removed-places.ts'
import { catchUp } from '../../src/maintenance/catch-up.ts'
import { type ReconcileResult, reconcile } from '../../src/maintenance/reconcile.ts'
import { usage } from '../../src/maintenance/usage.ts'
import { verify } from '../../src/maintenance/verify.ts'
import { bert, commit, other } from '../catalog/catalog-world.ts'
import { expectTrueTotals } from '../catalog/totals.ts'
import { CutOff, cutOffAt, withSteps } from './interrupted.ts'
import { done, type MaintenanceWorld, openMaintenanceWorld } from './maintenance-world.ts'

/** Two branches of `bert` and one of `other`, each with content; the storage goes on from a journal that is gone. */
async function filled() {
  const world = await openMaintenanceWorld()
  await world.done('ref set', { repository: bert, ref: 'dev', commit: commit(2) })
  const places = {
    main: await world.place(bert, 'main'),
    dev: await world.place(bert, 'dev'),
    theirs: await world.place(other, 'main'),
  }
  for (const place of Object.values(places)) {
    await world.upload(place, 'a')
    await world.register(place, 'a')
  }
  await world.maintenance.change((tables) =>
    tables.updateTable('hub_link').set({ applied: 17 }).execute(),
  )
  return { world, places }
}

/** As a hub is that was restored from a backup of before: without the rows, and without entries about them. */
function restoreWithout({ store }: MaintenanceWorld, uids: readonly string[]): Promise<unknown> {
  return writeTables(store.directory, async (tables) => {
    await tables
      .deleteFrom('refs')
      .where('uid', 'in', uids as RefUid[])
      .execute()
    await tables
      .deleteFrom('repositories')
      .where('uid', 'in', uids as RepositoryUid[])
      .execute()
  })
}

async function reconciling(
  { maintenance }: Pick<MaintenanceWorld, 'maintenance'>,
  evenMost = false,
) {
  return done(await reconcile(maintenance, { isDryRun: false, evenMost }))
}

const owners = ({ rows }: MaintenanceWorld) =>
  Promise.all(
    ['stored_xorbs', 'stored_files', 'stored_chunks'].map(async (table) => {
      const found = await rows(`SELECT DISTINCT ref_uid FROM ${table}`)
      return found.map((row) => row['ref_uid']).sort()
    }),
  )

async function expectOwners(world: MaintenanceWorld, places: readonly Place[]): Promise<void> {
  const uids = places.map(({ refUid }) => refUid).sort()
  expect(await owners(world)).toEqual([uids, uids, uids])
}

async function expectFound({ maintenance, link }: MaintenanceWorld): Promise<void> {
  const { applied, lostAt } = await maintenance.read(readLinkState)
  expect(lostAt).toBeUndefined()
  expect(await link.changes(applied === undefined ? {} : { after: applied })).toMatchObject({
    kind: 'changes',
  })
}

describe('nothing is removed', () => {
  test('of what the hub has', async () => {
    const { world } = await filled()
    const before = await world.everything()
    expect(await reconciling(world)).toEqual({
      places: 5,
      orphans: [],
      returned: 0,
      isDoubtful: false,
      isLinkLost: true,
    })
    expect(await world.everything()).toEqual(before)
    expect(world.raised()).toEqual([false, false])
    await expectFound(world)
  })

  test('in a dry run, which says what a real one then does', async () => {
    const { world, places } = await filled()
    await restoreWithout(world, [places.dev.refUid])
    const before = await world.everything()
    const state = await world.maintenance.read(readLinkState)
    const told = await reconcile(world.maintenance)
    expect(await world.everything()).toEqual(before)
    expect(await world.maintenance.read(readLinkState)).toEqual(state)
    expect(await reconciling(world)).toEqual(told)
  })

  test('twice: what the hub has removed before is not counted, though its rows may still be there', async () => {
    const { world, places } = await filled()
    const { theirs, dev } = places
    await restoreWithout(world, [theirs.repositoryUid, dev.refUid])
    await world.maintenance.change((tables) =>
      addTombstones(tables, [theirs.repositoryUid, dev.refUid], world.now()),
    )
    const compared = { places: 2, orphans: [], returned: 0, isDoubtful: false }
    expect(await reconcile(world.maintenance)).toEqual({ ...compared, isLinkLost: true })
  })

  // conformance: Embedded storage / storage reconcile removes exactly the content that the hub does not have
  test('of a place that is made before any step', async () => {
    let wasMade = true
    for (let at = 1; wasMade; at += 1) {
      const { world, places } = await filled()
      await restoreWithout(world, [places.dev.refUid])
      wasMade = false
      const maintenance = withSteps(world.maintenance, async (step) => {
        if (step !== at) return
        wasMade = true
        await world.done('ref set', { repository: other, ref: 'new', commit: commit(3) })
        done(await world.upload(await world.place(other, 'new'), 'b'))
      })
      await reconciling({ maintenance })
      const rows = await world.rows(`SELECT ref_uid FROM stored_xorbs`)
      const kept = rows.map((row) => row['ref_uid'])
      expect(kept, `before step ${at}`).not.toContain(places.dev.refUid)
      expect(kept, `before step ${at}`).toHaveLength(wasMade ? 3 : 2)
      expect(await world.broken()).toEqual([])
      await expectFound(world)
    }
  })

  test('when the hub has nothing of what is here, however little that is, unless it is said', async () => {
    const { world, places } = await filled()
    const { main, theirs } = places
    await restoreWithout(world, [main.repositoryUid, theirs.repositoryUid])
    const before = await world.everything()
    expect(await reconcile(world.maintenance)).toMatchObject({ places: 5, isDoubtful: true })
    const told = await reconcile(world.maintenance, { isDryRun: false })
    expect(told).toMatchObject({ code: 'conflict' })
    expect(await world.everything()).toEqual(before)
    expect((await world.maintenance.read(readLinkState)).applied).toBe(17)
    await reconciling(world, true)
    await expectOwners(world, [])
    await expectFound(world)
  })

  test('beside an old copy of the hub, whose journal ends before what the storage has heard of', async () => {
    const { world, places } = await filled()
    await restoreWithout(world, [places.dev.refUid])
    const { number } = await world.link.changes({})
    const hear = (known: number) =>
      world.maintenance.change((tables) => tables.updateTable('hub_link').set({ known }).execute())
    const before = await world.everything()
    for (const applied of [17, number]) {
      await hear(number + 1)
      await world.maintenance.change((tables) =>
        tables.updateTable('hub_link').set({ applied }).execute(),
      )
      for (const options of [{}, { isDryRun: false }, { isDryRun: false, evenMost: true }]) {
        expect(await reconcile(world.maintenance, options)).toMatchObject({
          code: 'conflict',
          detail: expect.stringContaining(`ends at ${number}, and this storage has heard of`),
        })
      }
      expect(await world.everything()).toEqual(before)
    }
    await hear(number)
    expect(await reconciling(world)).toMatchObject({ orphans: [{ uid: places.dev.refUid }] })
  })

  test.each([
    ['ten', 10, false],
    ['eleven, where fewer are known', 11, true],
  ])('when the hub does not have many and most: %s', async (_, count, isDoubtful) => {
    const { world } = await filled()
    const uids: string[] = []
    for (let index = 0; index < count; index += 1) {
      const ref = `branch-${index}`
      await world.done('ref set', { repository: bert, ref, commit: commit(2) })
      const place = await world.place(bert, ref)
      await world.upload(place, 'a')
      uids.push(place.refUid)
    }
    await restoreWithout(world, uids)
    expect(await reconcile(world.maintenance)).toMatchObject({ places: 5 + count, isDoubtful })
  })
})

describe('what the hub does not have goes', () => {
  test('a ref: its rows, and the address of its repository', async () => {
    const { world, places } = await filled()
    const { main, dev, theirs } = places
    await restoreWithout(world, [dev.refUid])
    const orphan = { kind: 'ref or commit' as const, uid: dev.refUid, repository: bert }
    expect(await reconciling(world)).toEqual({
      places: 5,
      orphans: [{ ...orphan, bytes: 144, objects: 2 }],
      returned: 0,
      isDoubtful: false,
      isLinkLost: true,
    } satisfies ReconcileResult)
    await expectOwners(world, [main, theirs])
    await expectTrueTotals(world)
    expect(world.raised()).toEqual([true, false])
    expect(await world.upload(dev, 'b')).toMatchObject({ code: 'not_found' })
    await expectFound(world)
  })

  test('a repository with all its refs, and nobody is given another address', async () => {
    const { world, places } = await filled()
    const { main, theirs } = places
    await restoreWithout(world, [main.repositoryUid])
    const uid = main.repositoryUid
    expect(await reconciling(world)).toMatchObject({
      orphans: [{ kind: 'repository', uid, repository: uid, bytes: 288, objects: 4 }],
    })
    await expectOwners(world, [theirs])
    expect(world.raised()).toEqual([false])
    expect(await world.rows('SELECT 1 FROM epoch_outbox')).toEqual([])
  })

  test('wherever it is cut off, all of it is there or the next one does the rest', async () => {
    let wasCutOff = true
    for (let at = 1; wasCutOff; at += 1) {
      const { world, places } = await filled()
      await restoreWithout(world, [places.dev.refUid])
      wasCutOff = await reconciling({ maintenance: cutOffAt(world.maintenance, at) }).then(
        () => false,
        (error) => error instanceof CutOff,
      )
      expect(await world.broken(), `at step ${at}`).toEqual([])
      await reconciling(world)
      await expectOwners(world, [places.main, places.theirs])
      expect(world.raised(), `at step ${at}`).toEqual([true, false])
      await expectFound(world)
    }
  })
})

describe('a place that the hub had deleted and has again', () => {
  /** As a hub has it that was restored from a backup of before the deletion. */
  async function returned() {
    const { world, places } = await filled()
    const { number } = await world.link.changes({})
    await world.maintenance.change(async (tables) => {
      await addTombstones(tables, [places.dev.refUid, places.theirs.repositoryUid], world.now())
      await tables.updateTable('hub_link').set({ applied: number }).execute()
    })
    return { world, places }
  }

  test('takes uploads again, and what is left of its rows is shown', async () => {
    const { world, places } = await returned()
    const { dev, theirs } = places
    const refused = { code: 'not_found' }
    expect(await reconcile(world.maintenance)).toMatchObject({ orphans: [], returned: 2 })
    expect(await world.upload(dev, 'b')).toMatchObject(refused)
    expect(await reconciling(world)).toMatchObject({ orphans: [], returned: 2 })
    expect([await world.upload(dev, 'b'), await world.upload(theirs, 'b')]).toEqual([true, true])
    await expectOwners(world, [places.main, dev, theirs])
    expect(await reconciling(world)).toMatchObject({ returned: 0 })
  })

  test('stays closed if the hub deletes it again before any step', async () => {
    for (let at = 1, isOver = false; !isOver; at += 1) {
      const { world, places } = await returned()
      isOver = true
      const maintenance = withSteps(world.maintenance, async (step) => {
        if (step !== at) return
        isOver = false
        await world.done('ref delete', { repository: bert, ref: 'dev' })
        expect(await catchUp(world.maintenance)).toBeUndefined()
      })
      await reconciling({ maintenance })
      if (isOver) return
      const told = await world.upload(places.dev, 'b')
      expect(told, `before step ${at}`).toMatchObject({ code: 'not_found' })
    }
  })
})

describe('a loss that a running storage finds meanwhile is not taken for reconciled', () => {
  test.each([
    ['where none was known', undefined, undefined],
    ['where one was known of the same second', 17, 'now'],
    ['where one was not noticed yet', 17, undefined],
  ])('%s', async (_, applied, lost) => {
    for (let at = 1, isOver = false; !isOver; at += 1) {
      const { world, places } = await filled()
      const start = applied ?? (await world.link.changes({})).number
      const lost_at = lost === undefined ? null : world.now()
      await world.maintenance.change((tables) =>
        tables.updateTable('hub_link').set({ applied: start, lost_at }).execute(),
      )
      isOver = true
      const maintenance = withSteps(world.maintenance, async (step) => {
        if (step !== at) return
        isOver = false
        // The hub is restored once more, and the storage goes on from the end of its journal.
        await restoreWithout(world, [places.dev.refUid])
        const { number } = await world.link.changes({})
        await world.maintenance.change((tables) => beginAnew(tables, number, world.now()))
      })
      await reconciling({ maintenance })
      const { lostAt } = await world.maintenance.read(readLinkState)
      // Either the loss is still known, or what it cost is gone.
      const isGone = !(await owners(world)).flat().includes(places.dev.refUid)
      expect(isOver || lostAt !== undefined || isGone, `before step ${at}`).toBe(true)
    }
  })
})

test('until then, repositories that the hub does not have are shown by uid, with a mark', async () => {
  const { world, places } = await filled()
  const { main } = places
  await restoreWithout(world, [main.repositoryUid])
  const orphaned = { repository: main.repositoryUid, isUnknown: true }
  const held = { bytes: 144, objects: 2 }
  const byTheLink = { ...world.maintenance, names: undefined }
  const { repositories } = await usage(world.maintenance)
  expect(repositories).toHaveLength(2)
  expect(repositories).toContainEqual({ ...orphaned, bytes: 288, objects: 4 })
  expect(repositories).toContainEqual({ repository: other, ...held })
  const theirs = { repository: places.theirs.repositoryUid, ...held }
  expect((await usage(byTheLink)).repositories).toContainEqual(theirs)
  expect((await usage(byTheLink)).repositories).toContainEqual(expect.objectContaining(orphaned))
  const { badXorbs } = done(await verify(world.maintenance))
  expect(badXorbs).toContainEqual(expect.objectContaining(orphaned))
  expect(badXorbs.filter(({ isUnknown }) => isUnknown)).toHaveLength(1)
})
