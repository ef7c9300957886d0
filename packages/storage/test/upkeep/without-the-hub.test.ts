/** Without the hub upkeep looks and removes nothing; with another hub it does nothing at all. */

import { LinkFailure } from '@latchkey/gate/hub-link'
import { describe, expect, test } from 'vitest'
import { readLinkState } from '../../src/catalog/link-state.ts'
import { missedRemovals, tryToCatchUp } from '../../src/upkeep/catch-up.ts'
import { collect } from '../../src/upkeep/collect.ts'
import { forget } from '../../src/upkeep/forget.ts'
import { readdress } from '../../src/upkeep/readdress.ts'
import { reconcile } from '../../src/upkeep/reconcile.ts'
import type { Upkeep } from '../../src/upkeep/upkeep.ts'
import { usage, usageOf } from '../../src/upkeep/usage.ts'
import { verify } from '../../src/upkeep/verify.ts'
import { bert, commit, other } from '../catalog/catalog-world.ts'
import { hash } from '../catalog/content.ts'
import { day, openUpkeepWorld, repo, type UpkeepWorld } from './upkeep-world.ts'

async function filled(): Promise<UpkeepWorld> {
  const world = await openUpkeepWorld()
  const main = await world.place(bert, 'main')
  for (const word of ['used', 'unused']) await world.upload(main, word)
  await world.register(main, 'used')
  world.passSeconds(2 * day)
  return world
}

/** A storage of its own that cannot reach its hub, which would tell no names either. */
function withoutHub(upkeep: Upkeep): Upkeep {
  const fail = async () => {
    throw new LinkFailure('it is down')
  }
  return {
    ...upkeep,
    names: undefined,
    link: { changes: fail, raiseEpochs: fail, findUnknown: fail },
  }
}

/** The storage has followed a journal that this hub does not have. */
async function loseJournal({ upkeep }: UpkeepWorld): Promise<void> {
  await upkeep.change((tables) => tables.updateTable('hub_link').set({ applied: 17 }).execute())
}

const file = hash('file used')

describe('when the hub cannot be asked', () => {
  test('nothing is collected, forgotten, reconciled or readdressed', async () => {
    const world = await filled()
    const { repositoryUid } = await world.place(bert, 'main')
    const upkeep = withoutHub(world.upkeep)
    const before = await world.everything()
    const isDryRun = false
    for (const removing of [
      () => collect(upkeep, { now: world.now(), isDryRun }),
      () => forget(upkeep, { repository: repositoryUid, hash: file }, { isDryRun }),
      () => reconcile(upkeep, { isDryRun }),
      () => reconcile(upkeep),
      () => readdress(upkeep, repositoryUid),
    ]) {
      await expect(removing()).rejects.toThrow(LinkFailure)
    }
    expect(await world.everything()).toEqual(before)
    expect(world.raised()).toEqual([false, false])
  })

  test('what would go is shown, with a sentence about what is not known', async () => {
    const world = await filled()
    const { repositoryUid } = await world.place(bert, 'main')
    const upkeep = withoutHub(world.upkeep)
    expect(await tryToCatchUp(upkeep)).toMatch(
      / is still counted here, since the hub could not be asked: it is down\.$/,
    )
    expect(await collect(upkeep, { now: world.now() })).toMatchObject({ xorbs: { count: 1 } })
    const target = { repository: repositoryUid, hash: file }
    expect(await forget(upkeep, target)).toMatchObject({ repository: repositoryUid, objects: 1 })
  })

  test('content is measured and verified by uid', async () => {
    const world = await filled()
    const { repositoryUid } = await world.place(bert, 'main')
    const upkeep = withoutHub(world.upkeep)
    const held = { repository: repositoryUid, bytes: 244, objects: 3 }
    expect(await usage(upkeep)).toMatchObject({ repositories: [held] })
    expect(await usageOf(upkeep, repositoryUid)).toEqual(held)
    expect(await verify(upkeep, { repository: repositoryUid })).toMatchObject({ objects: 2 })
  })

  test('a name is refused, and so is a uid without content', async () => {
    const world = await filled()
    const upkeep = withoutHub(world.upkeep)
    expect(await usageOf(upkeep, repo(bert))).toMatchObject({ refused: 'bad_request' })
    expect(await readdress(upkeep)).toMatchObject({ refused: 'bad_request' })
    const { repositoryUid } = await world.place(other, 'main')
    const nothing = { refused: 'resource_not_found' }
    expect(await usageOf(upkeep, repositoryUid)).toMatchObject(nothing)
    expect(await verify(upkeep, { repository: repositoryUid })).toMatchObject(nothing)
    expect(await usageOf(world.upkeep, repositoryUid)).toMatchObject({ repository: other })
  })
})

describe('when the hub does not have the journal that the storage has followed', () => {
  test('nothing is collected or forgotten, no epoch is delivered, and the storage stays where it is', async () => {
    const world = await filled()
    const { repositoryUid } = await world.place(bert, 'main')
    await loseJournal(world)
    await world.upkeep.change((tables) =>
      tables.insertInto('epoch_outbox').values({ repository_uid: repositoryUid }).execute(),
    )
    const before = await world.everything()
    const now = world.now()
    const lost = { refused: 'cursor_unknown' }
    expect(await collect(world.upkeep, { now, isDryRun: false })).toMatchObject(lost)
    const target = { repository: repo(bert), hash: file }
    expect(await forget(world.upkeep, target, { isDryRun: false })).toMatchObject(lost)
    expect(await tryToCatchUp(world.upkeep)).toContain('latchkey storage reconcile')
    expect(await world.everything()).toEqual(before)
    expect(world.raised()).toEqual([false, false])
    expect(await world.rows('SELECT 1 FROM epoch_outbox')).toHaveLength(1)
    const { applied, lostAt } = await world.upkeep.read(readLinkState)
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
    const collected = await collect(world.upkeep, { now: world.now(), isDryRun: false })
    expect(collected).toMatchObject({ xorbs: { count: 1 }, objects: { count: 1 } })
    expect(await world.rows(`SELECT 1 FROM stored_files WHERE ref_uid = '${dev.refUid}'`)).toEqual(
      [],
    )
    expect(await world.broken()).toEqual([])
  })

  test('it is said when removals may have been missed', async () => {
    const world = await filled()
    expect(await missedRemovals(world.upkeep)).toBeUndefined()
    await world.upkeep.change((tables) =>
      tables.updateTable('hub_link').set({ lost_at: 1_800_000_000 }).execute(),
    )
    expect(await tryToCatchUp(world.upkeep)).toContain(
      'before 2027-01-15T08:00:00.000Z: run "latch',
    )
  })
})
