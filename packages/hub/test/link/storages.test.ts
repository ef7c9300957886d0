/** The link of a storage shows and changes what is recorded on that storage, and nothing else. */

import { parseStorageName } from '@latchkey/protocol'
import { commit } from '@latchkey/testing/hub/hub-settings'
import { beforeEach, expect, test } from 'vitest'
import { storeLink } from '../../src/link/store-link.ts'
import { askLink, bert, headOf, startLinked, uidOf } from './ask-link.ts'

const eu = parseStorageName('eu') ?? expect.unreachable()
const far = 'models/acme/far'

let world: Awaited<ReturnType<typeof startLinked>>
beforeEach(async () => {
  world = await startLinked({ storages: [{ name: eu, casUrl: 'https://eu.example/{repo}/{ref}' }] })
  await world.apply({
    repositories: [
      {
        type: 'model',
        id: 'acme/far',
        storage: 'eu',
        branches: { main: commit('a'), dev: commit('b') },
      },
    ],
    hubTokens: [{ account: 'cas', name: 'eu', kind: 'storage', storage: 'eu' }],
  })
})

const asEu = { as: 'cas/eu' }

test('each storage hears of its own removals, and of the number of every entry', async () => {
  const after = await headOf(world)
  const near = [await uidOf(world, 'dev'), await uidOf(world)]
  const distant = [await uidOf(world, 'dev', far), await uidOf(world, undefined, far)]
  for (const repository of [bert, far]) {
    await world.done('ref delete', { repository, ref: 'dev' })
    await world.done('repo delete', { repository })
  }
  const number = await headOf(world)
  const toNear = await askLink(world, `changes?after=${after}`)
  expect(toNear.json).toEqual({ number, removed: near, complete: true })
  const toEu = await askLink(world, `changes?after=${after}`, asEu)
  expect(toEu.json).toEqual({ number, removed: distant, complete: true })
  const fromTheStart = await askLink(world, 'changes', asEu)
  expect(fromTheStart.json['removed']).toEqual(distant)
  const direct = storeLink(world.store, { verb: 'storage gc' })
  expect(await direct.changes({})).toMatchObject({ removed: near })
})

test('a storage that holds the credential of another is refused', async () => {
  const from = (audience: string, asked = {}) =>
    askLink(world, `changes?audience=${encodeURIComponent(audience)}`, asked)
  expect((await from('https://cas.example/r')).status).toBe(200)
  expect((await from('https://eu.example', asEu)).status).toBe(200)
  const wrong = await from('https://eu.example')
  expect(wrong).toMatchObject({ status: 403, json: { code: 'permission_denied' } })
  expect(wrong.json['detail']).toMatch(/for the storage "default", at https:\/\/cas\.example\/r;/)
  expect((await from('https://cas.example/r', asEu)).status).toBe(403)
})

test('places of another storage are as absent as those of no storage', async () => {
  const uids = await Promise.all([uidOf(world), uidOf(world, 'dev'), uidOf(world, undefined, far)])
  const [bertUid, devUid, farUid] = uids
  const [commitUid] = await world.store.directory.read((tables) =>
    tables
      .selectFrom('commits')
      .select('uid')
      .where('repository_uid', '=', farUid as never)
      .execute(),
  )
  const body = { uids: [...uids, commitUid?.uid] }
  const unknownTo = async (asked: object) =>
    (await askLink(world, 'places', { ...asked, body })).json['unknown']
  expect(await unknownTo({})).toEqual([farUid, commitUid?.uid])
  expect(await unknownTo(asEu)).toEqual([bertUid, devUid])
})

test('a storage raises no epoch of another', async () => {
  const uids = [await uidOf(world), await uidOf(world, undefined, far)]
  const raise = (asked: object) =>
    askLink(world, 'epochs', { ...asked, body: { repositories: uids } })
  const epochs = () =>
    world.store.directory.read(async (tables) => {
      const rows = await tables.selectFrom('repositories').select(['uid', 'epoch']).execute()
      return uids.map((uid) => rows.find((row) => row.uid === uid)?.epoch)
    })
  expect((await raise(asEu)).json).toEqual({ raised: 1 })
  expect(await epochs()).toEqual([0, expect.toSatisfy((epoch) => epoch > 0)])
  const [, raised] = await epochs()
  expect((await raise({})).json).toEqual({ raised: 1 })
  expect(await epochs()).toEqual([expect.toSatisfy((epoch) => epoch > 0), raised])
})
