import { maxAccessTokenLength, maxCasUrlLength } from '@latchkey/protocol'
import { acme } from '@latchkey/testing/hub/acme'
import { ask, askExactly, claimsOf, hubToken, pathOf } from '@latchkey/testing/hub/ask'
import { commit } from '@latchkey/testing/hub/hub-settings'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { writeTables } from '@latchkey/testing/hub/write-tables'
import { afterAll, beforeAll, expect, test } from 'vitest'

let world: World
beforeAll(async () => {
  world = await startWorld(acme)
})
afterAll(() => world.close())

async function expectIssued(as: string, ...whats: readonly string[]): Promise<void> {
  for (const what of whats) {
    const told = await ask(world, what, { as })
    expect(told.status, `${as} asks to ${what}: ${told.text}`).toBe(200)
  }
}

// conformance: Endpoints / The response is a JSON object, the token response
test('a write token names one repository, one ref and an expiry', async () => {
  const told = await ask(world, 'write models/acme/bert@main', { as: 'writer/write' })
  expect(told.status).toBe(200)
  expect(claimsOf(told)).toMatchObject({
    scope: 'write',
    repo: { type: 'model', id: 'acme/bert' },
    ref: { name: 'refs/heads/main' },
  })
})

// conformance: Resources / repo_type is model, dataset or space
test('models, datasets and spaces are served alike, to read and to write', async () => {
  const asked = [
    ['models/acme/bert', 'model'],
    ['datasets/acme/bert', 'dataset'],
    ['spaces/acme/demo', 'space'],
  ] as const
  for (const [repository, type] of asked) {
    for (const scope of ['read', 'write']) {
      const told = await ask(world, `${scope} ${repository}@main`, { as: 'writer/write' })
      const { repo } = claimsOf(told)
      expect([told.status, repo], `${scope} ${repository}`).toMatchObject([200, { type }])
    }
  }
})

// conformance: Resources / The token response has accessToken, exp and casUrl, with their types
test('the answer is a JSON object of accessToken, exp and casUrl and nothing else', async () => {
  const { headers, json } = await ask(world, 'read models/acme/bert@main', { as: 'reader/write' })
  expect(headers.get('content-type')).toBe('application/json')
  expect(Object.keys(json)).toEqual(['accessToken', 'exp', 'casUrl'])
  expect(typeof json.accessToken).toBe('string')
  expect(Number.isSafeInteger(json.exp)).toBe(true)
  expect(typeof json.casUrl).toBe('string')
})

// conformance: Limits / accessToken has at most 64000 characters; Latchkey uses at most 4096
test('the access token and the storage address stay within what clients may assume', async () => {
  const { json } = await ask(world, 'read models/acme/bert@main', { as: 'reader/write' })
  expect(json.accessToken?.length).toBeLessThanOrEqual(Math.min(maxAccessTokenLength, 4096))
  expect(json.casUrl?.length).toBeLessThanOrEqual(maxCasUrlLength)
})

// conformance: Authentication / 4. The path sets the scope
test('the token type of the path sets the scope, not the most that the caller may do', async () => {
  for (const scope of ['read', 'write']) {
    const told = await ask(world, `${scope} models/acme/bert@main`, { as: 'maintainer/write' })
    expect(claimsOf(told)).toMatchObject({ scope })
  }
})

// conformance: Authentication / 5. A token is valid for one repository and one ref
test('an issued token carries exactly the claims that a storage needs', async () => {
  const told = await ask(world, 'write models/acme/bert@main', { as: 'writer/write' })
  const claims = claimsOf(told)
  const names = 'iss aud sub client_id scope repo ref commit as_of sees iat exp jti'
  expect(Object.keys(claims)).toEqual(names.split(' '))
  const { items } = await world.done('hub-token list', { account: 'writer' })
  const account = await world.done('account show', { account: 'writer' })
  const { uid } = await world.done('repo show', { repository: 'models/acme/bert' })
  const ref = await world.done('ref show', { repository: 'models/acme/bert', ref: 'main' })
  const token = (items as { id: string; name: string }[]).find(({ name }) => name === 'write')
  expect(claims).toMatchObject({
    iss: 'https://hub.example',
    aud: 'https://cas.example/r',
    sub: account['id'],
    client_id: token?.id,
    repo: { type: 'model', id: 'acme/bert', uid },
    ref: { name: 'refs/heads/main', uid: ref['uid'] },
    commit: commit('a'),
    as_of: (await world.done('changes'))['last'],
    sees: [],
    iat: world.now(),
    exp: told.json.exp,
  })
  expect(JSON.stringify(claims)).not.toContain(hubToken(world, 'writer/write').slice(3, 20))
})

// conformance: Resources / casUrl is the URL of the storage
test('the storage address names repository and ref by the uids of the token', async () => {
  const told = await ask(world, 'read models/acme/bert@dev', { as: 'writer/write' })
  const { repo, ref } = claimsOf(told) as { repo: { uid: string }; ref: { uid: string } }
  expect(told.json.casUrl).toBe(`https://cas.example/r/${repo.uid}/${ref.uid}`)
})

// conformance: Authentication / 5. A token is valid for one repository and one ref
test('every repository and every ref has a token of its own', async () => {
  const uids = new Set<string>()
  const asked = ['models/acme/bert@main', 'models/acme/bert@dev', 'models/acme/open@main']
  for (const what of asked) {
    const told = await ask(world, `read ${what}`, { as: 'writer/write' })
    const { repo, ref } = claimsOf(told) as { repo: { uid: string }; ref: { uid: string } }
    uids.add(`${repo.uid}/${ref.uid}`)
  }
  expect(uids.size).toBe(asked.length)
})

// conformance: Lifetime / 2. The same request again returns a new token
test('the same request again gives a new token', async () => {
  const asked = () => ask(world, 'read models/acme/bert@main', { as: 'writer/write' })
  const tokens = (await Promise.all([asked(), asked(), asked(), asked()])).map(
    ({ json }) => json.accessToken,
  )
  expect(new Set(tokens).size).toBe(4)
})

// conformance: Authentication / 6. A read token needs at least read access to repository and ref
test('a role of read gets read tokens, a role of write both', async () => {
  await expectIssued('reader/write', 'read models/acme/bert@main', 'read spaces/acme/demo@main')
  await expectIssued('writer/write', 'read models/acme/bert@main', 'write models/acme/bert@main')
})

// conformance: Authentication / 6. A read token needs at least read access to repository and ref
test('a hub token of kind read reads wherever its account may', async () => {
  await expectIssued('writer/read', 'read models/acme/bert@main', 'read models/acme/open@main')
})

// conformance: Authentication / 6. A write token needs write access to repository and ref
test('a collaborator has a role in one repository', async () => {
  await expectIssued('guest/write', 'read models/acme/bert@main', 'write models/acme/bert@main')
})

// conformance: Authentication / 6. A read token needs at least read access to repository and ref
test('every account reads a public repository', async () => {
  await expectIssued('stranger/write', 'read models/acme/open@main', 'read datasets/acme/bert@main')
})

// conformance: Authentication / 6. A write token needs write access to repository and ref
test('the role admin writes what a ref rule protects', async () => {
  await expectIssued(
    'maintainer/write',
    'write models/acme/bert@release/1',
    `write models/acme/bert@${commit('b')}`,
  )
})

// conformance: Authentication / 6. A fine-grained hub token needs read or write access to contents
test('a fine-grained hub token reads and writes what its grants name', async () => {
  await expectIssued(
    'ci-bot/main-only',
    'read models/acme/bert@main',
    'write models/acme/bert@main',
    'write models/acme/bert@v1.0',
    `read models/acme/bert@${commit('f')}`,
  )
  await expectIssued(
    'ci-bot/read-acme',
    'read models/acme/bert@release/1',
    'read spaces/acme/demo@main',
  )
})

// conformance: Authentication / Users and service accounts send the same request
test('a service account asks like any other', async () => {
  const told = await ask(world, 'write models/acme/bert@main', { as: 'ci-bot/main-only' })
  const { id } = await world.done('account show', { account: 'ci-bot' })
  expect(claimsOf(told)).toMatchObject({ sub: id })
})

// conformance: Endpoints / The request has Authorization: Bearer with a hub token
test('the scheme of the Authorization header is read in any case', async () => {
  const token = hubToken(world, 'writer/write')
  for (const scheme of ['bearer', 'BEARER', 'bEaReR']) {
    const headers = ['Authorization', `${scheme} ${token}`]
    const told = await askExactly(world, pathOf('read models/acme/bert@main'), { headers })
    expect(told.status, scheme).toBe(200)
  }
})

// conformance: Endpoints / The request has Authorization: Bearer with a hub token
test('the name of the Authorization header is read in any case', async () => {
  const token = hubToken(world, 'writer/write')
  for (const name of ['authorization', 'AUTHORIZATION']) {
    const headers = [name, `Bearer ${token}`]
    const told = await askExactly(world, pathOf('read models/acme/bert@main'), { headers })
    expect(told.status, name).toBe(200)
  }
})

// conformance: Options / hubTokenPrefix accepts every prefix that was ever configured
test('a hub token with a prefix of an earlier configuration stays valid', async () => {
  await writeTables(world.store.directory, (tables) =>
    tables
      .insertInto('hub_token_prefixes')
      .values({ prefix: 'old_', first_used_at: world.now() })
      .execute(),
  )
  const { makeHubToken, hashHubToken } = await import('../../src/identity/hub-token.ts')
  const { pooledRandom } = await import('@latchkey/service/machine/random')
  const token = makeHubToken('old_', pooledRandom())
  await writeTables(world.store.directory, (tables) =>
    tables
      .updateTable('hub_tokens')
      .set({ secret_hash: hashHubToken(token) })
      .where('name', '=', 'read-acme')
      .execute(),
  )
  expect((await ask(world, 'read models/acme/bert@main', { as: token })).status).toBe(200)
})
