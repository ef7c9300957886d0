/** Forgetting removes one thing from one repository for good, and nothing from anybody else. */

import { isRefusal, unixSeconds } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import { describe, expect, test } from 'vitest'
import { collect } from '../../src/maintenance/collect.ts'
import { deleteContent } from '../../src/maintenance/delete-content.ts'
import { bert, commit, other } from '../catalog/catalog-world.ts'
import { digest, hash } from '../catalog/content.ts'
import { CutOff, cutOffAt, withSteps } from './interrupted.ts'
import {
  day,
  done,
  type MaintenanceWorld,
  openMaintenanceWorld,
  repo,
} from './maintenance-world.ts'

const file = hash('file secret')

function forgetting({ maintenance }: MaintenanceWorld, hash: Hash, repository = bert) {
  return deleteContent(maintenance, { repository: repo(repository), hash }, { isDryRun: false })
}

/** The file `secret` of `secret` and `shared`, and `other` of `shared`; on two branches. */
async function filled(): Promise<MaintenanceWorld> {
  const world = await openMaintenanceWorld()
  const main = await world.place(bert, 'main')
  await fill(world, main)
  await world.done('ref set', { repository: bert, ref: 'dev', commit: commit(2), from: 'main' })
  await fill(world, await world.place(bert, 'dev'))
  return world
}

async function fill(
  world: MaintenanceWorld,
  place: Awaited<ReturnType<MaintenanceWorld['place']>>,
) {
  for (const word of ['secret', 'shared']) await world.upload(place, word)
  await world.register(place, 'secret', ['secret', 'shared'])
  await world.register(place, 'other', ['shared'])
}

describe('nothing is forgotten', () => {
  test.each([
    [
      'of a hash that nothing has',
      bert,
      hash('nothing'),
      'No file and no xorb of models/acme/bert',
    ],
    ['of a chunk', bert, hash('chunk of secret'), 'No file and no xorb'],
    ['that another repository has', other, file, 'No file and no xorb of models/acme/other'],
    ['of a repository that is not there', 'models/acme/none', file, 'There is no repository'],
    ['of a name in other letters', 'models/Acme/bert', file, 'There is no repository'],
  ])('%s', async (_, repository, wanted, words) => {
    const world = await filled()
    const before = await world.everything()
    const told = await forgetting(world, wanted, repository)
    expect(told).toMatchObject({ code: 'resource_not_found' })
    expect(isRefusal(told) && told.detail).toContain(words)
    expect(await world.everything()).toEqual(before)
  })

  test('in a dry run, which says what a real one then does', async () => {
    for (const wanted of [file, hash('secret'), hash('shared')]) {
      const world = await filled()
      const before = await world.everything()
      const told = await deleteContent(world.maintenance, { repository: repo(bert), hash: wanted })
      expect(await world.everything()).toEqual(before)
      expect(await forgetting(world, wanted)).toEqual(told)
    }
  })
})

describe('a file', () => {
  // conformance: Embedded storage / storage delete removes content permanently, and only there
  test('goes from every ref, with the xorbs that only it is made of', async () => {
    const world = await filled()
    expect(await forgetting(world, file)).toEqual({
      repository: bert,
      kind: 'file',
      files: { count: 2, bytes: 600 },
      xorbs: { count: 2, bytes: 200 },
      sharedXorbs: 1,
      objects: 1,
    })
    await expectUnreadable(world, ['main', 'dev', commit(1), commit(2)])
    expect((await world.stored()).map(({ key }) => key)).toEqual([
      await world.catalog.objectOf(digest('shared')),
    ])
    expect(await world.broken()).toEqual([])
    expect(world.raised()).toEqual([true, false])
  })

  test('that refs put together in different ways goes with the xorbs of both', async () => {
    const world = await openMaintenanceWorld()
    const main = await world.place(bert, 'main')
    await world.done('ref set', { repository: bert, ref: 'dev', commit: commit(2) })
    const dev = await world.place(bert, 'dev')
    await world.upload(main, 'one')
    await world.upload(dev, 'another')
    await world.register(main, 'secret', ['one'])
    await world.register(dev, 'secret', ['another'])
    expect(await forgetting(world, file)).toMatchObject({ files: { count: 2 }, objects: 2 })
    expect(await world.stored()).toEqual([])
  })

  test('whose bytes are kept is found by nobody, and its bytes go with a later collection', async () => {
    const world = await filled()
    const before = (await world.stored()).length
    const target = { repository: repo(bert), hash: file }
    const options = { isDryRun: false, keepsBytes: true }
    const told = done(await deleteContent(world.maintenance, target, options))
    expect(told.objects).toBeGreaterThan(0)
    expect(await world.catalog.objectOf(digest('secret'))).toBeUndefined()
    expect(await world.stored()).toHaveLength(before)
    await collect(world.maintenance, { now: world.now(), isDryRun: false })
    expect(await world.stored()).toHaveLength(before - told.objects)
    expect(await world.broken()).toEqual([])
  })

  test('that is made of a xorb many times goes with it', async () => {
    const world = await openMaintenanceWorld()
    const main = await world.place(bert, 'main')
    await world.upload(main, 'one')
    await world.register(main, 'secret', ['one', 'one', 'one'])
    expect(await forgetting(world, file)).toMatchObject({ xorbs: { count: 1 }, sharedXorbs: 0 })
  })

  test('whose object is lost goes all the same', async () => {
    const world = await filled()
    const key = await world.catalog.objectOf(digest('secret'))
    if (key !== undefined) await world.objects.remove(key)
    const target = { repository: repo(bert), hash: file }
    for (const isDryRun of [true, false]) {
      const told = await deleteContent(world.maintenance, target, { isDryRun })
      expect(told).toMatchObject({ xorbs: { count: 2 } })
    }
  })

  test('can be uploaded again afterwards', async () => {
    const world = await filled()
    await forgetting(world, file)
    const main = await world.place(bert, 'main')
    expect(await world.upload(main, 'secret')).toBe(true)
    expect(await world.register(main, 'secret', ['secret', 'shared'])).toBe(true)
    expect(await world.broken()).toEqual([])
  })

  test('that another file begins to share a xorb with meanwhile leaves that xorb', async () => {
    for (let at = 1; ; at += 1) {
      const world = await filled()
      const target = { repository: repo(bert), hash: file }
      const { told, wasTooLate } = await forgetWhile(world, { at, target, repository: bert })
      if (wasTooLate) break
      expect(told, `before step ${at}`).toMatchObject({ sharedXorbs: 2, objects: 0 })
      const seen = await world.view(bert, 'main')
      expect(await world.catalog.findFile(seen, hash('file late'))).toBeDefined()
      expect(await world.broken(), `before step ${at}`).toEqual([])
    }
  })
})

describe('a xorb', () => {
  test('goes with every file that is made of it', async () => {
    const world = await filled()
    expect(await forgetting(world, hash('shared'))).toEqual({
      repository: bert,
      kind: 'xorb',
      files: { count: 4, bytes: 900 },
      xorbs: { count: 2, bytes: 200 },
      sharedXorbs: 0,
      objects: 1,
    })
    expect(await world.rows('SELECT 1 FROM stored_files')).toEqual([])
    expect(await world.broken()).toEqual([])
    expect(world.raised()).toEqual([true, false])
  })

  test('that no file is made of goes alone', async () => {
    const world = await filled()
    await world.upload(await world.place(bert, 'main'), 'unused')
    const told = await forgetting(world, hash('unused'))
    expect(told).toMatchObject({ files: { count: 0 }, xorbs: { count: 1 }, objects: 1 })
  })

  test('that becomes part of a file meanwhile takes that file along', async () => {
    for (let at = 1; ; at += 1) {
      const world = await filled()
      const target = { repository: repo(bert), hash: hash('secret') }
      const { wasTooLate } = await forgetWhile(world, { at, target, repository: bert })
      if (wasTooLate) break
      const seen = await world.view(bert, 'main')
      expect(await world.catalog.findFile(seen, hash('file late')), `${at}`).toBeUndefined()
      expect(await world.broken(), `before step ${at}`).toEqual([])
    }
  })
})

describe('other repositories', () => {
  // conformance: Embedded storage / storage delete removes content permanently, and only there
  test('keep what they have of the same, and its object, for as long as they have it', async () => {
    const world = await filled()
    await fill(world, await world.place(other, 'main'))
    expect(await forgetting(world, file)).toMatchObject({ xorbs: { count: 2 } })
    const theirs = await world.view(other, 'main')
    expect(await world.catalog.findFile(theirs, file)).toBeDefined()
    expect(await world.stored()).toHaveLength(2)
    expect(world.raised()).toEqual([true, false])
    expect(await forgetting(world, file, other)).toMatchObject({ objects: 1 })
    expect(await world.stored()).toHaveLength(1)
    expect(await world.broken()).toEqual([])
  })
})

describe('files of other repositories that come meanwhile', () => {
  test.each([file, hash('secret')])('stay, and protect nothing here: %s', async (wanted) => {
    for (let at = 1; ; at += 1) {
      const world = await filled()
      await world.upload(await world.place(other, 'main'), 'secret')
      const target = { repository: repo(bert), hash: wanted }
      const { told, isOver } = await forgetWhile(world, { at, target, repository: other })
      if (isOver) break
      expect(told, `before step ${at}`).toMatchObject({ xorbs: { count: 2 } })
      const seen = await world.view(other, 'main')
      expect(await world.catalog.findFile(seen, hash('file late'))).toBeDefined()
      expect(await world.broken()).toEqual([])
    }
  })
})

describe('when it is cut off', () => {
  test('at any step all of it is gone or nothing, and collection frees the object', async () => {
    let wasCutOff = true
    for (let at = 1; wasCutOff; at += 1) {
      const world = await filled()
      const target = { repository: repo(bert), hash: file }
      wasCutOff = await deleteContent(cutOffAt(world.maintenance, at), target, {
        isDryRun: false,
      }).then(
        () => false,
        (error) => error instanceof CutOff,
      )
      expect(await world.broken(), `at step ${at}`).toEqual([])
      const { length: left } = await world.rows(`SELECT 1 FROM stored_files WHERE hash = '${file}'`)
      expect([0, 2]).toContain(left)
      await collect(world.maintenance, { now: unixSeconds(world.now() + 2 * day), isDryRun: false })
      expect(world.raised(), `at step ${at}`).toEqual([left === 0, false])
      expect(await world.stored(), `at step ${at}`).toHaveLength(left === 0 ? 1 : 2)
    }
  })
})

interface Meanwhile {
  readonly at: number
  readonly target: Parameters<typeof deleteContent>[1]
  /** Where a file of `secret` is registered. */
  readonly repository: string
}

/** A file is registered before one step; too late when its xorb has gone, over when there is no such step. */
async function forgetWhile(world: MaintenanceWorld, { at, target, repository }: Meanwhile) {
  const place = await world.place(repository, 'main')
  let late: unknown
  const maintenance = withSteps(world.maintenance, async (step) => {
    if (step === at) late = await world.register(place, 'late', ['secret'])
  })
  const told = await deleteContent(maintenance, target, { isDryRun: false })
  return { told, wasTooLate: isRefusal(late), isOver: late === undefined }
}

async function expectUnreadable(
  world: MaintenanceWorld,
  revisions: readonly string[],
): Promise<void> {
  for (const revision of revisions) {
    const seen = await world.view(bert, revision)
    expect(await world.catalog.findFile(seen, file), revision).toBeUndefined()
    expect(await world.catalog.findXorb(seen, hash('secret')), revision).toBeUndefined()
    expect(await world.catalog.findChunk(seen, hash('chunk of secret')), revision).toBeUndefined()
  }
  const whole = { ...(await world.view(bert, 'main')), refs: undefined }
  expect(await world.catalog.findFile(whole, file)).toBeUndefined()
  expect(await world.catalog.findXorb(whole, hash('secret'))).toBeUndefined()
}
