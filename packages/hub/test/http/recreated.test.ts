import { acme } from '@latchkey/testing/hub/acme'
import { ask, claimsOf, type Told } from '@latchkey/testing/hub/ask'
import { commit } from '@latchkey/testing/hub/hub-settings'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { codeOf } from './compare.ts'

const repository = 'models/acme/bert'

let world: World
beforeEach(async () => {
  world = await startWorld(acme)
})
afterEach(() => world.close())

interface Uids {
  readonly repo: string
  readonly ref: string
  readonly sees: readonly string[]
  readonly casUrl: string | undefined
}

function uidsOf(told: Told): Uids {
  const claims = claimsOf(told) as {
    repo: { uid: string }
    ref: { uid: string }
    sees: { uid: string }[]
  }
  const sees = claims.sees.map(({ uid }) => uid)
  return { repo: claims.repo.uid, ref: claims.ref.uid, sees, casUrl: told.json.casUrl }
}

function read(revision: string): Promise<Told> {
  return ask(world, `read ${repository}@${revision}`, { as: 'maintainer/write' })
}

// conformance: Attacks / 5. An attacker uses an old token after a branch or repository was recreated
test('a branch deleted and made again under its name is another ref at another address', async () => {
  const before = uidsOf(await read('dev'))
  await world.done('ref delete', { repository, ref: 'dev' })
  expect(codeOf(await read('dev'))).toEqual([404, 'revision_not_found'])
  await world.done('ref set', { repository, ref: 'dev', commit: commit('c') })
  const after = uidsOf(await read('dev'))
  expect(after.repo).toBe(before.repo)
  expect(after.ref).not.toBe(before.ref)
  expect(after.casUrl).not.toBe(before.casUrl)
})

// conformance: Attacks / 5. An attacker uses an old token after a branch or repository was recreated
test('a tag deleted and made again is another ref', async () => {
  const before = uidsOf(await read('v1.0'))
  await world.done('ref delete', { repository, ref: 'refs/tags/v1.0' })
  await world.done('ref set', { repository, ref: 'refs/tags/v1.0', commit: commit('a') })
  expect(uidsOf(await read('v1.0')).ref).not.toBe(before.ref)
})

// conformance: Attacks / 35. An attacker opens content of a commit or tag by later changes of refs
test('a tag that is moved to another commit is another ref at another address, by a verb or a file', async () => {
  const before = uidsOf(await read('v1.0'))
  await world.done('ref set', { repository, ref: 'refs/tags/v1.0', commit: commit('a') })
  expect(uidsOf(await read('v1.0'))).toEqual(before)
  const move = { repository, ref: 'refs/tags/v1.0', commit: commit('b') }
  const moved = await world.done('ref set', move)
  const after = uidsOf(await read('v1.0'))
  expect(after.ref).toBe(moved['uid'])
  const tags = { 'v1.0': commit('c') }
  await world.apply({ repositories: [{ type: 'model', id: 'acme/bert', tags }] })
  const last = uidsOf(await read('v1.0'))
  expect(new Set([before, after, last].map(({ ref }) => ref)).size).toBe(3)
  expect(new Set([before, after, last].map(({ casUrl }) => casUrl)).size).toBe(3)
})

// conformance: Attacks / 5. An attacker uses an old token after a branch or repository was recreated
test('a branch that was moved or changed keeps its uid', async () => {
  const before = uidsOf(await read('main'))
  await world.done('ref set', { repository, ref: 'main', commit: commit('9') })
  expect(uidsOf(await read('main')).ref).toBe(before.ref)
})

// conformance: Attacks / 5. An attacker uses an old token after a branch or repository was recreated
test('nothing of a deleted branch is seen through its fork, its tag or its commit', async () => {
  const old = uidsOf(await read('main')).ref
  for (const revision of ['dev', 'v1.0', commit('a')]) {
    expect(uidsOf(await read(revision)).sees, revision).toContain(old)
  }
  await world.done('ref delete', { repository, ref: 'main' })
  await world.done('ref set', { repository, ref: 'main', commit: commit('a') })
  for (const revision of ['main', 'dev', 'v1.0', commit('a'), commit('f')]) {
    const { ref, sees } = uidsOf(await read(revision))
    expect([ref, ...sees], revision).not.toContain(old)
  }
})

// conformance: Attacks / 5. An attacker uses an old token after a branch or repository was recreated
test('a repository deleted and made again under its name is another one, with other refs', async () => {
  const before = [
    uidsOf(await read('main')),
    uidsOf(await read('v1.0')),
    uidsOf(await read(commit('a'))),
  ]
  await world.done('repo delete', { repository })
  expect(codeOf(await read('main'))).toEqual([404, 'repository_not_found'])
  const [entry] = acme.repositories
  await world.apply({ repositories: [entry] })
  const after = [
    uidsOf(await read('main')),
    uidsOf(await read('v1.0')),
    uidsOf(await read(commit('a'))),
  ]
  const old = before.flatMap(({ repo, ref, sees }) => [repo, ref, ...sees])
  const made = after.flatMap(({ repo, ref, sees }) => [repo, ref, ...sees])
  for (const uid of made) expect(old).not.toContain(uid)
})

// conformance: Attacks / 5. An attacker uses an old token after a branch or repository was recreated
test('a repository made again has none of the roles, rules and commits of the old one', async () => {
  await world.done('repo delete', { repository })
  await world.done('repo create', { repository })
  await world.done('ref set', { repository, ref: 'release/1', commit: commit('4') })
  const guest = await ask(world, `read ${repository}@release/1`, { as: 'guest/write' })
  expect(guest.status).toBe(403)
  const ruled = await ask(world, `write ${repository}@release/1`, { as: 'writer/write' })
  expect(ruled.status).toBe(200)
  expect(codeOf(await read(commit('a')))).toEqual([404, 'revision_not_found'])
})

// conformance: Attacks / 5. An attacker uses an old token after a branch or repository was recreated
test('a grant on a repository speaks of its name, and the token it gives of the new uid', async () => {
  const asked = () => ask(world, `write ${repository}@main`, { as: 'ci-bot/main-only' })
  const before = uidsOf(await asked())
  await world.done('repo delete', { repository })
  await world.done('repo create', { repository })
  await world.done('ref set', { repository, ref: 'main', commit: commit('a') })
  expect(uidsOf(await asked()).repo).not.toBe(before.repo)
})
