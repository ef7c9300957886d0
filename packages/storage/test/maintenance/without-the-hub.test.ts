/** Without the hub maintenance looks and removes nothing; with another hub it does nothing at all. */

import { HubLinkError } from '@latchkey/gate/hub-link'
import { describe, expect, test } from 'vitest'
import { readLinkState } from '../../src/catalog/link-state.ts'
import { missedRemovals, tryToCatchUp } from '../../src/maintenance/catch-up.ts'
import { collect } from '../../src/maintenance/collect.ts'
import { deleteContent } from '../../src/maintenance/delete-content.ts'
import type { Maintenance } from '../../src/maintenance/maintenance.ts'
import { reconcile } from '../../src/maintenance/reconcile.ts'
import { resetUrls } from '../../src/maintenance/reset-urls.ts'
import { usage, usageOf } from '../../src/maintenance/usage.ts'
import { verify } from '../../src/maintenance/verify.ts'
import { bert, commit, other } from '../catalog/catalog-world.ts'
import { hash } from '../catalog/content.ts'
import { day, type MaintenanceWorld, openMaintenanceWorld, repo } from './maintenance-world.ts'

async function filled(): Promise<MaintenanceWorld> {
  const world = await openMaintenanceWorld()
  const main = await world.place(bert, 'main')
  for (const word of ['used', 'unused']) await world.upload(main, word)
  await world.register(main, 'used')
  world.passSeconds(2 * day)
  return world
}

/** A storage of its own that cannot reach its hub, which would tell no names either. */
function withoutHub(maintenance: Maintenance): Maintenance {
  const fail = async () => {
    throw new HubLinkError('it is down')
  }
  return {
    ...maintenance,
    names: undefined,
    link: { changes: fail, raiseEpochs: fail, findUnknown: fail },
  }
}

/** The storage has followed a journal that this hub does not have. */
async function loseJournal({ maintenance }: MaintenanceWorld): Promise<void> {
  await maintenance.change((tables) =>
    tables.updateTable('hub_link').set({ applied: 17 }).execute(),
  )
}

const file = hash('file used')

describe('when the hub cannot be asked', () => {
  // conformance: Embedded storage / The storage removes content only after the hub confirms it
  test('nothing is collected, forgotten, reconciled or readdressed', async () => {
    const world = await filled()
    const { repositoryUid } = await world.place(bert, 'main')
    const maintenance = withoutHub(world.maintenance)
    const before = await world.everything()
    const isDryRun = false
    for (const removing of [
      () => collect(maintenance, { now: world.now(), isDryRun }),
      () => deleteContent(maintenance, { repository: repositoryUid, hash: file }, { isDryRun }),
      () => reconcile(maintenance, { isDryRun }),
      () => reconcile(maintenance),
      () => resetUrls(maintenance, repositoryUid),
    ]) {
      await expect(removing()).rejects.toThrow(HubLinkError)
    }
    expect(await world.everything()).toEqual(before)
    expect(world.raised()).toEqual([false, false])
  })

  test('what would go is shown, with a sentence about what is not known', async () => {
    const world = await filled()
    const { repositoryUid } = await world.place(bert, 'main')
    const maintenance = withoutHub(world.maintenance)
    expect(await tryToCatchUp(maintenance)).toMatch(
      / is still counted here, because the hub could not be reached: it is down\.$/,
    )
    expect(await collect(maintenance, { now: world.now() })).toMatchObject({ xorbs: { count: 1 } })
    const target = { repository: repositoryUid, hash: file }
    expect(await deleteContent(maintenance, target)).toMatchObject({
      repository: repositoryUid,
      objects: 1,
    })
  })

  test('content is measured and verified by uid', async () => {
    const world = await filled()
    const { repositoryUid } = await world.place(bert, 'main')
    const maintenance = withoutHub(world.maintenance)
    const held = { repository: repositoryUid, bytes: 244, objects: 3 }
    expect(await usage(maintenance)).toMatchObject({ repositories: [held] })
    expect(await usageOf(maintenance, repositoryUid)).toEqual(held)
    expect(await verify(maintenance, { repository: repositoryUid })).toMatchObject({ objects: 2 })
  })

  test('a name is refused, and so is a uid without content', async () => {
    const world = await filled()
    const maintenance = withoutHub(world.maintenance)
    expect(await usageOf(maintenance, repo(bert))).toMatchObject({ code: 'bad_request' })
    expect(await resetUrls(maintenance)).toMatchObject({ code: 'bad_request' })
    const { repositoryUid } = await world.place(other, 'main')
    const nothing = { code: 'resource_not_found' }
    expect(await usageOf(maintenance, repositoryUid)).toMatchObject(nothing)
    expect(await verify(maintenance, { repository: repositoryUid })).toMatchObject(nothing)
    expect(await usageOf(world.maintenance, repositoryUid)).toMatchObject({ repository: other })
  })
})

describe('when the hub does not have the journal that the storage has followed', () => {
  test('nothing is collected or forgotten, no epoch is delivered, and the storage stays where it is', async () => {
    const world = await filled()
    const { repositoryUid } = await world.place(bert, 'main')
    await loseJournal(world)
    await world.maintenance.change((tables) =>
      tables.insertInto('epoch_outbox').values({ repository_uid: repositoryUid }).execute(),
    )
    const before = await world.everything()
    const now = world.now()
    const lost = { code: 'cursor_unknown' }
    expect(await collect(world.maintenance, { now, isDryRun: false })).toMatchObject(lost)
    const target = { repository: repo(bert), hash: file }
    expect(await deleteContent(world.maintenance, target, { isDryRun: false })).toMatchObject(lost)
    expect(await tryToCatchUp(world.maintenance)).toContain('latchkey storage reconcile')
    expect(await world.everything()).toEqual(before)
    expect(world.raised()).toEqual([false, false])
    expect(await world.rows('SELECT 1 FROM epoch_outbox')).toHaveLength(1)
    const { applied, lostAt } = await world.maintenance.read(readLinkState)
    expect([applied, lostAt]).toEqual([17, undefined])
  })
})

describe('when the storage did not run', () => {
  test('what was deleted at the hub is collected all the same', async () => {
    const world = await filled()
    await world.done('ref set', { repository: bert, ref: 'dev', commit: commit(2) })
    const dev = await world.place(bert, 'dev')
    // The file of one ref keeps a xorb of the other.
    await world.upload(dev, 'unused')
    await world.register(dev, 'unused')
    world.passSeconds(2 * day)
    await world.done('ref delete', { repository: bert, ref: 'dev' })
    const collected = await collect(world.maintenance, { now: world.now(), isDryRun: false })
    expect(collected).toMatchObject({ xorbs: { count: 1 }, objects: { count: 1 } })
    expect(await world.rows(`SELECT 1 FROM stored_files WHERE ref_uid = '${dev.refUid}'`)).toEqual(
      [],
    )
    expect(await world.broken()).toEqual([])
  })

  test('it is said when removals may have been missed', async () => {
    const world = await filled()
    expect(await missedRemovals(world.maintenance)).toBeUndefined()
    await world.maintenance.change((tables) =>
      tables.updateTable('hub_link').set({ lost_at: 1_800_000_000 }).execute(),
    )
    expect(await tryToCatchUp(world.maintenance)).toContain(
      'before 2027-01-15T08:00:00.000Z: run "latch',
    )
  })
})
