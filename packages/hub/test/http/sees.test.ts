import { ask, claimsOf } from '@latchkey/testing/hub/ask'
import { commit } from '@latchkey/testing/hub/hub-settings'
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
  readonly before: number
}

async function seesOf(revision: string, as = 'owner/all'): Promise<readonly Seen[]> {
  const told = await ask(world, `read models/acme/bert@${revision}`, { as })
  if (told.status !== 200) throw new Error(told.text)
  return (claimsOf(told) as { sees: Seen[] }).sees
}

async function uidOf(ref: string): Promise<string> {
  return String((await world.done('ref show', { repository, ref }))['uid'])
}

/** Runs a verb that changes something, and gives the number of its entry in the journal. */
async function numberOf(words: string, input: object): Promise<number> {
  const { last } = await world.done('changes')
  await world.done(words, input)
  const { items } = await world.done('changes', { after: String(last) })
  return (items as { number: number }[])[0]?.number ?? 0
}

/** The number of the transaction that made everything at the beginning. */
async function beginning(): Promise<number> {
  const { items } = await world.done('changes')
  const entries = items as { number: number; verb: string }[]
  return entries.find(({ verb }) => verb === 'apply')?.number ?? 0
}

// conformance: Attacks / 1. An attacker uses an old commit or a fork to read later content
test('a branch made from nothing sees nothing but itself', async () => {
  expect(await seesOf('main')).toEqual([])
})

// conformance: Guarantees / An old commit gives no access to later content
// conformance: Attacks / 1. An attacker uses an old commit or a fork to read later content
test('a commit sees its branch up to the moment it was recorded there, however far the branch moves on', async () => {
  world.passSeconds(100)
  const second = await numberOf('ref set', { repository, ref: 'main', commit: commit('b') })
  world.passSeconds(100)
  const third = await numberOf('ref set', { repository, ref: 'main', commit: commit('c') })
  const uid = await uidOf('main')
  expect(await seesOf(commit('a'))).toEqual([{ uid, before: await beginning() }])
  expect(await seesOf(commit('b'))).toEqual([{ uid, before: second }])
  expect(await seesOf(commit('c'))).toEqual([{ uid, before: third }])
})

// conformance: Attacks / 1. An attacker uses an old commit or a fork to read later content
test('changes in one second are told apart', async () => {
  const recorded = await numberOf('ref set', { repository, ref: 'main', commit: commit('b') })
  const forked = await numberOf('ref set', { repository, ref: 'dev', from: 'main' })
  const uid = await uidOf('main')
  expect(await seesOf(commit('b'))).toEqual([
    { uid, before: recorded },
    { uid: await uidOf('dev'), before: forked },
  ])
  expect(await seesOf('dev')).toEqual([{ uid, before: forked }])
  expect(forked).toBeGreaterThan(recorded)
})

// conformance: Attacks / 1. An attacker uses an old commit or a fork to read later content
test('a commit that is recorded again, or comes back, keeps its first number', async () => {
  world.passSeconds(100)
  const second = await numberOf('ref set', { repository, ref: 'main', commit: commit('b') })
  world.passSeconds(100)
  await world.done('ref set', { repository, ref: 'main', commit: commit('a') })
  await world.done('commit record', { repository, hash: commit('b'), on: ['main'] })
  const uid = await uidOf('main')
  expect(await seesOf(commit('a'))).toEqual([{ uid, before: await beginning() }])
  expect(await seesOf(commit('b'))).toEqual([{ uid, before: second }])
})

// conformance: Attacks / 1. An attacker uses an old commit or a fork to read later content
test('a tag sees the branch of its commit as it was before the commit was recorded, not the tag', async () => {
  world.passSeconds(100)
  await world.done('ref set', { repository, ref: 'refs/tags/v1', commit: commit('a') })
  expect(await seesOf('v1')).toEqual([{ uid: await uidOf('main'), before: await beginning() }])
})

// conformance: Attacks / 1. An attacker uses an old commit or a fork to read later content
test('a fork sees where it was made from as it was before the fork, however both move on', async () => {
  world.passSeconds(50)
  const forked = await numberOf('ref set', { repository, ref: 'dev', from: 'main' })
  world.passSeconds(50)
  await world.done('ref set', { repository, ref: 'main', commit: commit('b') })
  await world.done('ref set', { repository, ref: 'dev', commit: commit('c') })
  expect(await seesOf('dev')).toEqual([{ uid: await uidOf('main'), before: forked }])
  expect(await seesOf('main')).toEqual([])
})

// conformance: Attacks / 1. An attacker uses an old commit or a fork to read later content
test('a fork of a fork sees each only as it was before the earliest fork on the way', async () => {
  world.passSeconds(10)
  const first = await numberOf('ref set', { repository, ref: 'dev', from: 'main' })
  world.passSeconds(10)
  const second = await numberOf('ref set', { repository, ref: 'topic', from: 'dev' })
  expect(await seesOf('topic')).toEqual([
    { uid: await uidOf('dev'), before: second },
    { uid: await uidOf('main'), before: first },
  ])
})

// conformance: Attacks / 1. An attacker uses an old commit or a fork to read later content
test('a commit of a fork sees the fork and what the fork inherited', async () => {
  world.passSeconds(10)
  const dev = { repository, ref: 'dev' }
  const forked = await numberOf('ref set', { ...dev, from: 'main', commit: commit('a') })
  world.passSeconds(10)
  const recorded = await numberOf('ref set', { ...dev, commit: commit('d') })
  expect(await seesOf(commit('d'))).toEqual([
    { uid: await uidOf('dev'), before: recorded },
    { uid: await uidOf('main'), before: forked },
  ])
})

// conformance: Attacks / 2. An attacker guesses a secret hash or copies it to another branch
test('a commit on several branches sees only those that the hub token may read', async () => {
  const first = await numberOf('ref set', { repository, ref: 'secret', commit: commit('5') })
  world.passSeconds(100)
  const second = await numberOf('commit record', { repository, hash: commit('5'), on: ['main'] })
  const [main, secret] = [await uidOf('main'), await uidOf('secret')]
  expect(await seesOf(commit('5'), 'limited/main')).toEqual([{ uid: main, before: second }])
  expect(await seesOf(commit('5'))).toEqual([
    { uid: secret, before: first },
    { uid: main, before: second },
  ])
})

// conformance: Guarantees / A hash alone gives no access
// conformance: Attacks / 2. An attacker guesses a secret hash or copies it to another branch
test('knowing the hash of a commit on a branch that one may not read opens nothing', async () => {
  await world.done('ref set', { repository, ref: 'secret', commit: commit('5') })
  const asked = async (hash: string) =>
    gist(await ask(world, `read models/acme/bert@${hash}`, { as: 'limited/main' }), hash)
  expect(await asked(commit('5'))).toMatchObject({ status: 403 })
  expect(await asked(commit('5'))).toEqual(await asked(commit('9')))
})

// conformance: Attacks / 2. An attacker guesses a secret hash or copies it to another branch
test('pointing a branch at the hash of a secret commit opens nothing of the secret branch', async () => {
  await world.done('ref set', { repository, ref: 'secret', commit: commit('5') })
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

// conformance: Attacks / 3. An attacker passes a ref rule with a write token for a tag or commit
test('a write token for a commit or tag needs write on every branch that holds it', async () => {
  await world.done('ref set', { repository, ref: 'topic', commit: commit('a') })
  await world.done('ref set', { repository, ref: 'refs/tags/v1', commit: commit('a') })
  for (const revision of [commit('a'), 'v1']) {
    const what = `write models/acme/bert@${revision}`
    expect(codeOf(await ask(world, what, { as: 'limited/main' }))[0], revision).toBe(403)
    expect((await ask(world, what, { as: 'owner/all' })).status, revision).toBe(200)
    const read = `read models/acme/bert@${revision}`
    expect((await ask(world, read, { as: 'limited/main' })).status, revision).toBe(200)
  }
})

// conformance: Attacks / 2. An attacker guesses a secret hash or copies it to another branch
test('a hub token limited to a fork sees what the fork inherited and nothing later', async () => {
  world.passSeconds(10)
  const forked = await numberOf('ref set', { repository, ref: 'topic', from: 'main' })
  world.passSeconds(10)
  await world.done('ref set', { repository, ref: 'main', commit: commit('b') })
  const main = await uidOf('main')
  expect(await seesOf('topic', 'limited/topic')).toEqual([{ uid: main, before: forked }])
})

// conformance: Attacks / 6. An attacker adds decoy branches to hide the branch that matters
test('decoy branches never push out the branch that recorded a commit first, nor the default branch', async () => {
  const first = await numberOf('ref set', { repository, ref: 'first', commit: commit('5') })
  for (let decoy = 0; decoy < 17; decoy += 1) {
    world.passSeconds(1)
    await world.done('ref set', { repository, ref: `decoy-${decoy}`, commit: commit('5') })
  }
  world.passSeconds(1)
  await world.done('commit record', { repository, hash: commit('5'), on: ['main'] })
  const sees = await seesOf(commit('5'))
  expect(sees).toHaveLength(8)
  const expected = ['first', 'main', ...[0, 1, 2, 3, 4, 5].map((decoy) => `decoy-${decoy}`)]
  const uids: string[] = []
  for (const ref of expected) uids.push(await uidOf(ref))
  expect(sees.map(({ uid }) => uid)).toEqual(uids)
  expect(sees[0]?.before).toBe(first)
})

// conformance: Attacks / 6. An attacker adds decoy branches to hide the branch that matters
test('decoys that a hub token may not read take no room from what it may', async () => {
  for (let decoy = 0; decoy < 17; decoy += 1) {
    await world.done('ref set', { repository, ref: `decoy-${decoy}`, commit: commit('5') })
  }
  world.passSeconds(1)
  const recorded = await numberOf('commit record', { repository, hash: commit('5'), on: ['main'] })
  const main = await uidOf('main')
  expect(await seesOf(commit('5'), 'limited/main')).toEqual([{ uid: main, before: recorded }])
})
