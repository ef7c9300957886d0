/** Usage counts by repository as if nothing were shared, and on the disk as it is. */

import { expect, test } from 'vitest'
import { collect } from '../../src/maintenance/collect.ts'
import { deleteContent } from '../../src/maintenance/delete-content.ts'
import { usage, usageOf } from '../../src/maintenance/usage.ts'
import { bert, commit, other } from '../catalog/catalog-world.ts'
import { hash } from '../catalog/content.ts'
import { expectTrueTotals } from '../catalog/totals.ts'
import { day, done, objectBytes, openMaintenanceWorld, repo } from './maintenance-world.ts'

test('a repository that is not there is refused', async () => {
  const { maintenance } = await openMaintenanceWorld()
  expect(await usageOf(maintenance, repo('models/acme/none'))).toMatchObject({
    code: 'resource_not_found',
  })
})

test('an empty storage holds nothing, and an empty repository is not listed', async () => {
  const { maintenance } = await openMaintenanceWorld()
  expect(await usage(maintenance)).toEqual({ repositories: [], disk: { count: 0, bytes: 0 } })
  expect(await usageOf(maintenance, repo(bert))).toEqual({ repository: bert, bytes: 0, objects: 0 })
})

test('every ref counts for its repository, and an object once for the disk', async () => {
  const world = await openMaintenanceWorld()
  await world.done('ref set', { repository: bert, ref: 'dev', commit: commit(2) })
  for (const revision of ['main', 'dev']) {
    await world.upload(await world.place(bert, revision), 'a')
  }
  await world.upload(await world.place(other, 'main'), 'a')
  await world.upload(await world.place(other, 'main'), 'b')
  expect(await usage(world.maintenance)).toEqual({
    repositories: [
      { repository: bert, bytes: 200, objects: 2 },
      { repository: other, bytes: 200, objects: 2 },
    ],
    disk: { count: 2, bytes: 2 * objectBytes },
  })
  await world.done('ref delete', { repository: bert, ref: 'dev' })
  await world.followed()
  const held = { repository: bert, bytes: 100, objects: 1 }
  expect(await usageOf(world.maintenance, repo(bert))).toEqual(held)
})

test('files count beside their xorbs, and what is forgotten or collected counts no more', async () => {
  const world = await openMaintenanceWorld()
  const main = await world.place(bert, 'main')
  for (const word of ['a', 'b', 'c']) await world.upload(main, word)
  await world.register(main, 'long', ['a', 'b'])
  await world.register(main, 'short', ['b'])
  const held = async () => {
    await expectTrueTotals(world)
    return usageOf(world.maintenance, repo(bert))
  }
  expect(await held()).toMatchObject({ bytes: 300 + 3 * 44, objects: 5 })
  const long = { repository: repo(bert), hash: hash('file long') }
  done(await deleteContent(world.maintenance, long, { isDryRun: false }))
  expect(await held()).toMatchObject({ bytes: 200 + 44, objects: 3 })
  world.passSeconds(2 * day)
  await collect(world.maintenance, { now: world.now(), isDryRun: false })
  expect(await held()).toMatchObject({ bytes: 100 + 44, objects: 2 })
  await world.done('ref delete', { repository: bert, ref: 'main' })
  await world.followed()
  expect(await held()).toMatchObject({ bytes: 0, objects: 0 })
})
