/** Readdressing gives one or all repositories an address that they never had. */

import { expect, test } from 'vitest'
import { resetUrls } from '../../src/maintenance/reset-urls.ts'
import { bert } from '../catalog/catalog-world.ts'
import { openMaintenanceWorld, repo } from './maintenance-world.ts'

test('a repository that is not there is refused, and no other is touched', async () => {
  const world = await openMaintenanceWorld()
  const told = await resetUrls(world.maintenance, repo('models/acme/none'))
  expect(told).toMatchObject({ code: 'resource_not_found' })
  expect(world.raised()).toEqual([false, false])
})

test('one repository, and only this', async () => {
  const world = await openMaintenanceWorld()
  expect(await resetUrls(world.maintenance, repo(bert))).toBe(1)
  expect(world.raised()).toEqual([true, false])
})

test('all repositories, again and again', async () => {
  const world = await openMaintenanceWorld()
  expect(await resetUrls(world.maintenance)).toBe(2)
  const [ours = 0, theirs = 0] = world.epochs()
  expect(Math.min(ours, theirs)).toBeGreaterThan(Date.now() / 1000)
  await resetUrls(world.maintenance)
  const after = world.epochs()
  expect([(after[0] ?? 0) > ours, (after[1] ?? 0) > theirs]).toEqual([true, true])
})
