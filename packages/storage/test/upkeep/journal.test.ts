/** What upkeep changes in the hub's directory is in the journal; what uploads change is none of the directory. */

import { join } from 'node:path'
import { dump } from '@latchkey/testing/hub/dump'
import { replayJournal } from '@latchkey/testing/hub/replay-journal'
import { expect, test } from 'vitest'
import { collect } from '../../src/upkeep/collect.ts'
import { forget } from '../../src/upkeep/forget.ts'
import { readdress } from '../../src/upkeep/readdress.ts'
import { bert, commit } from '../catalog/catalog-world.ts'
import { hash } from '../catalog/content.ts'
import { day, openUpkeepWorld, repo, type UpkeepWorld } from './upkeep-world.ts'

/** Everything that is new in the journal; the whole of it adds up to the tables. */
async function newEntries({ data }: UpkeepWorld, work: () => Promise<unknown>) {
  const file = join(data, 'hub.db')
  const { journal: before = [] } = dump(file)
  await work()
  const all = dump(file)
  const { told, held } = replayJournal(all)
  expect(told).toEqual(held)
  return (all['journal'] ?? []).slice(before.length)
}

test('every epoch that upkeep raises has its entry', async () => {
  const world = await openUpkeepWorld()
  const { upkeep } = world
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
  const collecting = () => collect(upkeep, { now: world.now(), isDryRun: false })
  expect(await newEntries(world, collecting)).toMatchObject([epoch])
  const deleting = () => world.done('ref delete', { repository: bert, ref: 'dev' })
  expect((await newEntries(world, deleting))[0]).toMatchObject({ thing: 'ref', did: 'deleted' })
  const forgetting = () =>
    forget(upkeep, { repository: repo(bert), hash: hash('file used') }, { isDryRun: false })
  expect(await newEntries(world, forgetting)).toMatchObject([epoch])
  const readdressing = () => readdress(upkeep)
  expect(await newEntries(world, readdressing)).toHaveLength(2)
})
