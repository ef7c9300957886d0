import { ask, claimsOf } from '@latchkey/testing/hub/ask'
import { commit, startOfTime } from '@latchkey/testing/hub/hub-settings'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { codeOf, gist } from './compare.ts'

const repository = 'models/acme/bert'

let world: World
beforeEach(async () => {
  world = await startWorld({
    accounts: [{ name: 'owner' }, { name: 'limited' }],
    namespaces: [{ name: 'acme', members: { owner: 'admin', limited: 'write' } }],
    repositories: [{ type: 'model', id: 'acme/bert', branches: { main: commit('a') } }],
    hubTokens: [
      { account: 'owner', name: 'all', kind: 'write' },
      {
        account: 'limited',
        name: 'main',
        kind: 'fine-grained',
        grants: [{ on: repository, contents: 'write', refs: ['main'] }],
      },
      {
        account: 'limited',
        name: 'topic',
        kind: 'fine-grained',
        grants: [{ on: repository, contents: 'write', refs: ['topic'] }],
      },
    ],
  })
})
afterEach(() => world.close())

interface Seen {
  readonly uid: string
  readonly until: number
}

async function seesOf(revision: string, as = 'owner/all'): Promise<readonly Seen[]> {
  const told = await ask(world, `read models/acme/bert@${revision}`, { as })
  if (told.status !== 200) throw new Error(told.text)
  return (claimsOf(told) as { sees: Seen[] }).sees
}

async function uidOf(ref: string): Promise<string> {
  return String((await world.done('ref show', { repository, ref }))['uid'])
}

const after = (seconds: number) => startOfTime + seconds

test('a branch made from nothing sees nothing but itself', async () => {
  expect(await seesOf('main')).toEqual([])
})

test('a commit sees its branch up to the moment it was recorded there, however far the branch moves on', async () => {
  world.passSeconds(100)
  await world.done('ref set', { repository, ref: 'main', commit: commit('b') })
  world.passSeconds(100)
  await world.done('ref set', { repository, ref: 'main', commit: commit('c') })
  const uid = await uidOf('main')
  expect(await seesOf(commit('a'))).toEqual([{ uid, until: after(0) }])
  expect(await seesOf(commit('b'))).toEqual([{ uid, until: after(100) }])
  expect(await seesOf(commit('c'))).toEqual([{ uid, until: after(200) }])
})

test('a commit that is recorded again, or comes back, keeps its first moment', async () => {
  world.passSeconds(100)
  await world.done('ref set', { repository, ref: 'main', commit: commit('b') })
  world.passSeconds(100)
  await world.done('ref set', { repository, ref: 'main', commit: commit('a') })
  await world.done('commit record', { repository, hash: commit('b'), on: ['main'] })
  const uid = await uidOf('main')
  expect(await seesOf(commit('a'))).toEqual([{ uid, until: after(0) }])
  expect(await seesOf(commit('b'))).toEqual([{ uid, until: after(100) }])
})

test('a tag sees the branch of its commit up to the moment the commit was recorded, not the tag', async () => {
  world.passSeconds(100)
  await world.done('ref create', { repository, ref: 'refs/tags/v1', commit: commit('a') })
  expect(await seesOf('v1')).toEqual([{ uid: await uidOf('main'), until: after(0) }])
})

test('a fork sees where it was made from up to the moment of the fork, however both move on', async () => {
  world.passSeconds(50)
  await world.done('ref create', { repository, ref: 'dev', from: 'main' })
  world.passSeconds(50)
  await world.done('ref set', { repository, ref: 'main', commit: commit('b') })
  await world.done('ref set', { repository, ref: 'dev', commit: commit('c') })
  expect(await seesOf('dev')).toEqual([{ uid: await uidOf('main'), until: after(50) }])
  expect(await seesOf('main')).toEqual([])
})

test('a fork of a fork sees each only up to the earliest fork on the way', async () => {
  world.passSeconds(10)
  await world.done('ref create', { repository, ref: 'dev', from: 'main' })
  world.passSeconds(10)
  await world.done('ref create', { repository, ref: 'topic', from: 'dev' })
  expect(await seesOf('topic')).toEqual([
    { uid: await uidOf('dev'), until: after(20) },
    { uid: await uidOf('main'), until: after(10) },
  ])
})

test('a commit of a fork sees the fork and what the fork inherited', async () => {
  world.passSeconds(10)
  await world.done('ref create', { repository, ref: 'dev', from: 'main', commit: commit('a') })
  world.passSeconds(10)
  await world.done('ref set', { repository, ref: 'dev', commit: commit('d') })
  expect(await seesOf(commit('d'))).toEqual([
    { uid: await uidOf('dev'), until: after(20) },
    { uid: await uidOf('main'), until: after(10) },
  ])
})

test('a commit on several branches sees only those that the hub token may read', async () => {
  await world.done('ref create', { repository, ref: 'secret', commit: commit('5') })
  world.passSeconds(100)
  await world.done('commit record', { repository, hash: commit('5'), on: ['main'] })
  const [main, secret] = [await uidOf('main'), await uidOf('secret')]
  expect(await seesOf(commit('5'), 'limited/main')).toEqual([{ uid: main, until: after(100) }])
  expect(await seesOf(commit('5'))).toEqual([
    { uid: secret, until: after(0) },
    { uid: main, until: after(100) },
  ])
})

test('knowing the hash of a commit on a branch that one may not read opens nothing', async () => {
  await world.done('ref create', { repository, ref: 'secret', commit: commit('5') })
  const asked = async (hash: string) =>
    gist(await ask(world, `read models/acme/bert@${hash}`, { as: 'limited/main' }), hash)
  expect(await asked(commit('5'))).toMatchObject({ status: 403 })
  expect(await asked(commit('5'))).toEqual(await asked(commit('9')))
})

test('pointing a branch at the hash of a secret commit opens nothing of the secret branch', async () => {
  await world.done('ref create', { repository, ref: 'secret', commit: commit('5') })
  world.passSeconds(100)
  await world.done('ref set', { repository, ref: 'main', commit: commit('5') })
  const secret = await uidOf('secret')
  for (const revision of ['main', commit('5')]) {
    const sees = await seesOf(revision, 'limited/main')
    expect(
      sees.map(({ uid }) => uid),
      revision,
    ).not.toContain(secret)
  }
})

test('a write token for a commit or tag needs write on every branch that holds it', async () => {
  await world.done('ref create', { repository, ref: 'topic', commit: commit('a') })
  await world.done('ref create', { repository, ref: 'refs/tags/v1', commit: commit('a') })
  for (const revision of [commit('a'), 'v1']) {
    const what = `write models/acme/bert@${revision}`
    expect(codeOf(await ask(world, what, { as: 'limited/main' }))[0], revision).toBe(403)
    expect((await ask(world, what, { as: 'owner/all' })).status, revision).toBe(200)
    const read = `read models/acme/bert@${revision}`
    expect((await ask(world, read, { as: 'limited/main' })).status, revision).toBe(200)
  }
})

test('a hub token limited to a fork sees what the fork inherited and nothing later', async () => {
  world.passSeconds(10)
  await world.done('ref create', { repository, ref: 'topic', from: 'main' })
  world.passSeconds(10)
  await world.done('ref set', { repository, ref: 'main', commit: commit('b') })
  const main = await uidOf('main')
  expect(await seesOf('topic', 'limited/topic')).toEqual([{ uid: main, until: after(10) }])
})

test('decoy branches never push out the branch that recorded a commit first, nor the default branch', async () => {
  await world.done('ref create', { repository, ref: 'first', commit: commit('5') })
  for (let decoy = 0; decoy < 17; decoy += 1) {
    world.passSeconds(1)
    await world.done('ref create', { repository, ref: `decoy-${decoy}`, commit: commit('5') })
  }
  world.passSeconds(1)
  await world.done('commit record', { repository, hash: commit('5'), on: ['main'] })
  const sees = await seesOf(commit('5'))
  expect(sees).toHaveLength(8)
  const expected = ['first', 'main', ...[0, 1, 2, 3, 4, 5].map((decoy) => `decoy-${decoy}`)]
  const uids: string[] = []
  for (const ref of expected) uids.push(await uidOf(ref))
  expect(sees.map(({ uid }) => uid)).toEqual(uids)
  expect(sees[0]?.until).toBe(after(0))
})

test('decoys that a hub token may not read take no room from what it may', async () => {
  for (let decoy = 0; decoy < 17; decoy += 1) {
    await world.done('ref create', { repository, ref: `decoy-${decoy}`, commit: commit('5') })
  }
  world.passSeconds(1)
  await world.done('commit record', { repository, hash: commit('5'), on: ['main'] })
  const main = await uidOf('main')
  expect(await seesOf(commit('5'), 'limited/main')).toEqual([{ uid: main, until: after(1) }])
})
