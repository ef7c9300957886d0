/** A branch without a commit gets storage tokens, and 40 or 64 zeros are no revision. */

import { noCommit } from '@latchkey/protocol'
import { ask, claimsOf } from '@latchkey/testing/hub/ask'
import { commit } from '@latchkey/testing/hub/hub-settings'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { codeOf } from './compare.ts'

const repository = 'models/acme/empty'
const zeros = ['0'.repeat(40), '0'.repeat(64)]

let world: World
beforeEach(async () => {
  world = await startWorld({
    accounts: [{ name: 'owner' }],
    namespaces: [{ name: 'acme', members: { owner: 'write' } }],
    hubTokens: [{ account: 'owner', name: 'all', kind: 'write' }],
  })
  await world.done('repo create', { repository })
})
afterEach(() => world.close())

const get = (what: string) => ask(world, what, { as: 'owner/all' })
const tokenFor = async (what: string) => claimsOf(await get(what)) as { ref: object; sees: object }

test.each(zeros)('%s is no revision, before and after the first commit', async (none) => {
  for (const revision of [none, `refs/heads/${none}`, `refs/tags/${none}`]) {
    for (const scope of ['read', 'write']) {
      const told = await get(`${scope} ${repository}@${revision}`)
      expect(codeOf(told), revision).toEqual([404, 'revision_not_found'])
    }
  }
  await world.done('ref set', { repository, ref: 'main', commit: commit('a') })
  expect(codeOf(await get(`read ${repository}@${none}`))).toEqual([404, 'revision_not_found'])
})

test.each(['read', 'write'])('a %s token of a new repository says 40 zeros', async (scope) => {
  expect(await tokenFor(`${scope} ${repository}@main`)).toMatchObject({
    ref: { name: 'refs/heads/main' },
    commit: noCommit,
    sees: [],
  })
})

test('the first commit keeps the ref of the tokens, and sees what the branch had', async () => {
  const before = await tokenFor(`write ${repository}@main`)
  await world.done('ref set', { repository, ref: 'main', commit: commit('a') })
  const after = await tokenFor(`write ${repository}@main`)
  expect(after).toMatchObject({ ref: before.ref, commit: commit('a') })
  const { sees } = await tokenFor(`read ${repository}@${commit('a')}`)
  expect(sees).toMatchObject([{ uid: (before.ref as { uid: string }).uid }])
})

test('a branch made from it has no commit either, and sees what it had', async () => {
  const { ref } = await tokenFor(`read ${repository}@main`)
  await world.done('ref set', { repository, ref: 'dev', from: 'main' })
  expect(await tokenFor(`read ${repository}@dev`)).toMatchObject({
    commit: noCommit,
    sees: [{ uid: (ref as { uid: string }).uid }],
  })
})

test('explain says that there is no commit yet', async () => {
  const asked = { scope: 'write', repository, account: 'owner' }
  const { allowed, detail } = await world.done('explain', asked)
  expect(allowed).toBe(true)
  expect(detail).toBe(
    `A write token for ${repository}@refs/heads/main would be issued, without a commit yet.`,
  )
})
