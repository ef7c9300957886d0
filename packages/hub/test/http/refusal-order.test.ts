import { acme } from '@latchkey/testing/hub/acme'
import { ask, askExactly, bearer, pathOf } from '@latchkey/testing/hub/ask'
import { commit } from '@latchkey/testing/hub/hub-settings'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf, gist } from './compare.ts'

let world: World
beforeAll(async () => {
  world = await startWorld(acme, { limits: { requestsPerMinute: 20, failuresPerMinute: 0 } })
  await world.apply({
    hubTokens: [
      { account: 'writer', name: 'spent', kind: 'write' },
      { account: 'stranger', name: 'second', kind: 'write' },
      {
        account: 'writer',
        name: 'releases',
        kind: 'fine-grained',
        grants: [{ on: 'models/acme/bert', contents: 'read', refs: ['release/*'] }],
      },
    ],
  })
})
afterAll(() => world.close())

const nowhere = '/api/models/acme/bert/storage-read-token/'

// conformance: Order of checks / 0. The hub responds to a CORS preflight with 204
test('a preflight is answered before the path is judged', async () => {
  const headers = ['Origin', 'https://app.example', 'Access-Control-Request-Method', 'GET']
  for (const target of [nowhere, '/nowhere', '/%ZZ', pathOf('read models/acme/none@main')]) {
    const { status } = await askExactly(world, target, { method: 'OPTIONS', headers })
    expect(status, target).toBe(204)
  }
})

// conformance: Order of checks / 1. An unknown path or an invalid encoding gets 404 not_found
test('the path is judged before the method', async () => {
  for (const target of [nowhere, '/api/models/acme/bert/storage-read-token/%ZZ']) {
    const told = await askExactly(world, target, { method: 'POST' })
    expect(codeOf(told), target).toEqual([404, 'not_found'])
  }
})

// conformance: Order of checks / 1. An unknown path or an invalid encoding gets 404 not_found
test('the path is judged before the hub token', async () => {
  for (const headers of [[], ['Authorization', 'Bearer nonsense']]) {
    expect(codeOf(await askExactly(world, nowhere, { headers }))).toEqual([404, 'not_found'])
  }
})

// conformance: Order of checks / 2. A method other than GET and HEAD gets 405 method_not_allowed
test('the method is judged before the hub token', async () => {
  const target = pathOf('write models/acme/none@main')
  for (const headers of [[], ['Authorization', 'Bearer nonsense']]) {
    const told = await askExactly(world, target, { method: 'POST', headers })
    expect(codeOf(told)).toEqual([405, 'method_not_allowed'])
  }
})

// conformance: Order of checks / 3. A missing Authorization header or another scheme gets 401 hub_token_missing
test('the hub token is judged before the repository', async () => {
  for (const what of ['read models/acme/none@main', 'read models/acme/bert@nowhere']) {
    expect(codeOf(await ask(world, what))).toEqual([401, 'hub_token_missing'])
    const headers = ['Authorization', 'Bearer nonsense']
    const told = await askExactly(world, pathOf(what), { headers })
    expect(codeOf(told)).toEqual([401, 'hub_token_invalid'])
  }
})

// conformance: Order of checks / 5. Too many failures or requests get 429 rate_limited
test('the limit of a hub token is judged before the repository, the permission and the revision', async () => {
  const as = 'writer/spent'
  for (let count = 0; count < 20; count += 1) await ask(world, 'read models/acme/bert@main', { as })
  const asked = [
    'read models/acme/none@main',
    'write models/acme/bert@release/1',
    'read models/acme/bert@nowhere',
    'read models/acme/bert@main',
  ]
  for (const what of asked) {
    expect(codeOf(await ask(world, what, { as })), what).toEqual([429, 'rate_limited'])
  }
})

// conformance: Order of checks / 6. A repository that does not exist gets 404 repository_not_found
test('the existence of the repository is judged before the permission', async () => {
  for (const what of ['read models/acme/none@main', 'write models/acme/none@main']) {
    const told = await ask(world, what, { as: 'stranger/write' })
    expect(codeOf(told), what).toEqual([404, 'repository_not_found'])
  }
})

// conformance: Order of checks / 7. A hub token without permission gets 403 permission_denied
test('the permission is judged before the existence of the revision', async () => {
  for (const revision of ['nowhere', commit('9'), 'a..b', 'refs/tags/none', 'refs/heads/main']) {
    const read = await ask(world, `read models/acme/bert@${revision}`, { as: 'stranger/second' })
    expect(codeOf(read), revision).toEqual([403, 'permission_denied'])
    const write = await ask(world, `write models/acme/bert@${revision}`, { as: 'reader/write' })
    expect(codeOf(write), revision).toEqual([403, 'permission_denied'])
  }
})

// conformance: Order of checks / 7. A hub token without permission gets 403 permission_denied
test('a ref that does not exist is judged by its name', async () => {
  const as = 'writer/releases'
  const within = await ask(world, 'read models/acme/bert@release/9', { as })
  expect(codeOf(within)).toEqual([404, 'revision_not_found'])
  const beyond = await ask(world, 'read models/acme/bert@feature/9', { as })
  expect(codeOf(beyond)).toEqual([403, 'permission_denied'])
  const ruled = await ask(world, 'write models/acme/bert@release/9', { as: 'writer/write' })
  expect(codeOf(ruled)).toEqual([403, 'permission_denied'])
})

// conformance: Order of checks / 7. A hub token without permission gets 403 permission_denied
test('an unknown hash is judged like a hash on no branch that the caller may use', async () => {
  const as = 'writer/releases'
  const [unknown, unreadable] = [commit('9'), commit('c')]
  const one = await ask(world, `read models/acme/bert@${unknown}`, { as })
  const other = await ask(world, `read models/acme/bert@${unreadable}`, { as })
  expect(gist(one, unknown)).toEqual(gist(other, unreadable))
  expect(one.status).toBe(403)
  const free = await ask(world, `read models/acme/bert@${unknown}`, { as: 'writer/write' })
  expect(codeOf(free)).toEqual([404, 'revision_not_found'])
})

// conformance: Order of checks / 8. A revision that does not exist gets 404 revision_not_found
test('a valid request passes every judgement', async () => {
  const headers = ['Authorization', bearer(world, 'reader/write')]
  const told = await askExactly(world, pathOf('read models/acme/bert@main'), { headers })
  expect(told.status).toBe(200)
})
