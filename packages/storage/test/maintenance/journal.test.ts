/** The journal has each change that maintenance makes at the hub; uploads change nothing there. */

import { join } from 'node:path'
import { dump } from '@latchkey/testing/hub/dump'
import { replayJournal } from '@latchkey/testing/hub/replay-journal'
import { expect, test } from 'vitest'
import { collect } from '../../src/maintenance/collect.ts'
import { deleteContent } from '../../src/maintenance/delete-content.ts'
import { resetUrls } from '../../src/maintenance/reset-urls.ts'
import { bert, commit } from '../catalog/catalog-world.ts'
import { hash } from '../catalog/content.ts'
import { day, type MaintenanceWorld, openMaintenanceWorld, repo } from './maintenance-world.ts'

/** Everything that is new in the journal; the whole of it adds up to the tables. */
async function newEntries({ data }: MaintenanceWorld, work: () => Promise<unknown>) {
  const file = join(data, 'hub.db')
  const { journal: before = [] } = dump(file)
  await work()
  const all = dump(file)
  const { told, held } = replayJournal(all)
  expect(told).toEqual(held)
  return (all['journal'] ?? []).slice(before.length)
}

test('every epoch that maintenance raises has its entry', async () => {
  const world = await openMaintenanceWorld()
  const { maintenance } = world
  await world.done('ref set', { repository: bert, ref: 'dev', commit: commit(2) })
  const uploaded = await newEntries(world, async () => {
    for (const [ref, word] of [
      ['main', 'unused'],
      ['main', 'used'],
      ['dev', 'used'],
    ] as const) {
      await world.upload(await world.place(bert, ref), word)
    }
    await world.register(await world.place(bert, 'main'), 'used')
  })
  expect(uploaded).toEqual([])

  world.passSeconds(2 * day)
  const epoch = { thing: 'repository', did: 'changed', repository: bert }
  const collecting = () => collect(maintenance, { now: world.now(), isDryRun: false })
  expect(await newEntries(world, collecting)).toMatchObject([epoch])
  const deleting = () => world.done('ref delete', { repository: bert, ref: 'dev' })
  expect((await newEntries(world, deleting))[0]).toMatchObject({ thing: 'ref', did: 'deleted' })
  const forgetting = () =>
    deleteContent(
      maintenance,
      { repository: repo(bert), hash: hash('file used') },
      { isDryRun: false },
    )
  expect(await newEntries(world, forgetting)).toMatchObject([epoch])
  const readdressing = () => resetUrls(maintenance)
  expect(await newEntries(world, readdressing)).toHaveLength(2)
})
