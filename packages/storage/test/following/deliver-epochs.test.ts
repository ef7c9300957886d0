/** The hub is told of every removal, at least once, in the order they were noted. */

import { HubLinkError } from '@latchkey/gate/hub-link'
import { asRepositoryUid, type RepositoryUid } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import type { CatalogDatabase } from '../../src/catalog/catalog-database.ts'
import { deliverEpochs, noteRemoval } from '../../src/following/deliver-epochs.ts'
import { openFollowingWorld, repository } from './following-world.ts'

function note(database: CatalogDatabase, ...uids: readonly RepositoryUid[]) {
  return database.change(async (tables) => {
    for (const uid of uids) await noteRemoval(tables, uid)
  })
}

async function waiting({ read }: CatalogDatabase): Promise<number> {
  const notes = await read((tables) => tables.selectFrom('epoch_outbox').selectAll().execute())
  return notes.length
}

test('a removal that is noted while the hub is told of an earlier one of the repository is told again', async () => {
  const { database } = await openFollowingWorld()
  await note(database, repository)
  const told: (readonly string[])[] = []
  await deliverEpochs(database, {
    async raiseEpochs(uids) {
      told.push(uids)
      // It removed its content after the hub has given out the address of before.
      if (told.length === 1) await note(database, repository)
    },
  })
  expect(told).toEqual([[repository], [repository]])
  expect(await waiting(database)).toBe(0)
})

test('a hub that cannot be reached is told everything later', async () => {
  const { database, link } = await openFollowingWorld()
  link.add(repository)
  await note(database, repository)
  link.fail(1)
  await expect(deliverEpochs(database, link)).rejects.toThrow(HubLinkError)
  expect([link.raised, await waiting(database)]).toEqual([[], 1])
  await deliverEpochs(database, link)
  expect([link.raised, await waiting(database)]).toEqual([[repository], 0])
})

test('many removals are told a thousand at a time, each repository once in a question', async () => {
  const { database } = await openFollowingWorld()
  const uids = Array.from({ length: 750 }, (_, at) => asRepositoryUid(`r${at}`))
  await note(database, ...uids, ...uids)
  const told: (readonly string[])[] = []
  await deliverEpochs(database, { raiseEpochs: async (some) => void told.push(some) })
  expect(told).toEqual([uids, uids.slice(250)])
  expect(await waiting(database)).toBe(0)
})
