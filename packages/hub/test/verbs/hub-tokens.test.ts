import { inspect } from 'node:util'
import { maxGrantPatterns, maxGrants } from '@latchkey/admin-api'
import { isRefusal, Secret } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import { hashHubToken, parseHubToken } from '../../src/identity/hub-token.ts'
import { createHubToken } from '../../src/verbs/hub-tokens.ts'
import { openDirectory, start } from './open-directory.ts'

async function withAccounts() {
  const directory = await openDirectory()
  await directory.done('account create', { name: 'ada', administrator: true })
  await directory.done('account create', { name: 'bob' })
  return directory
}

const write = { account: 'bob', name: 'laptop', kind: 'write' }
const grant = { on: 'models/acme/bert', contents: 'read' }

test.each([
  ['fine-grained without grants', { kind: 'fine-grained' }, 'grants'],
  ['fine-grained with an empty list', { kind: 'fine-grained', grants: [] }, 'grants'],
  ['write with grants', { grants: [grant] }, 'grants'],
  ['storage with grants', { kind: 'storage', grants: [grant] }, 'grants'],
  ['storage with verb groups', { kind: 'storage', adminScopes: ['changes'] }, 'adminScopes'],
  ['write with verb groups', { adminScopes: ['account'] }, 'adminScopes'],
  ['a verb group that is none', { kind: 'admin', adminScopes: ['all'] }, 'adminScopes[0]'],
  ['a kind that is none', { kind: 'owner' }, 'kind'],
  ['an expiry without a zone', { expiresAt: '2027-06-01T00:00:00' }, 'expiresAt'],
  ['an expiry that is no day', { expiresAt: '2027-02-31T00:00:00Z' }, 'expiresAt'],
  ['an expiry in the past', { expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
  ['an expiry this very second', { expiresAt: '2027-01-15T08:00:00Z' }, 'expiresAt'],
])('%s is refused', async (_, change, path) => {
  const { run } = await withAccounts()
  const input = { ...write, account: 'ada', ...change }
  expect(await run('hub-token create', input)).toMatchObject({ code: 'bad_request', path })
})

test.each([
  [{ on: 'acme', contents: 'read' }, 'grants[0].on'],
  [{ on: '*/*', contents: 'read' }, 'grants[0].on'],
  [{ on: 'models/acme/*', contents: 'read' }, 'grants[0].on'],
  [{ on: '*', contents: 'admin' }, 'grants[0].contents'],
  [{ on: '*', contents: 'read', refs: [] }, 'grants[0].refs'],
  [{ on: '*', contents: 'read', refs: ['a b'] }, 'grants[0].refs[0]'],
  [{ on: '*', contents: 'read', ref: 'main' }, 'grants[0].ref'],
  [{ on: '*', contents: 'read', refs: Array(maxGrantPatterns + 1).fill('main') }, 'grants[0].refs'],
])('the grant %j is refused', async (grant, path) => {
  const { run } = await withAccounts()
  expect(
    await run('hub-token create', { ...write, kind: 'fine-grained', grants: [grant] }),
  ).toMatchObject({ code: 'bad_request', path })
})

test('a hub token cannot carry grants without end', async () => {
  const { run } = await withAccounts()
  const grants = Array(maxGrants + 1).fill(grant)
  expect(await run('hub-token create', { ...write, kind: 'fine-grained', grants })).toMatchObject({
    code: 'bad_request',
    path: 'grants',
  })
})

test('only an administrator can have an admin hub token', async () => {
  const { run } = await withAccounts()
  expect(await run('hub-token create', { ...write, kind: 'admin' })).toMatchObject({
    code: 'conflict',
    path: 'kind',
  })
})

test('an account cannot have two live hub tokens of a name, ignoring case', async () => {
  const { run, done } = await withAccounts()
  const { id } = await done('hub-token create', write)
  expect(await run('hub-token create', { ...write, name: 'Laptop' })).toMatchObject({
    code: 'conflict',
  })
  await done('hub-token revoke', { hubToken: id })
  await done('hub-token create', write)
})

test('whoever gives a token in place of its id does not get it echoed', async () => {
  const { run, done } = await withAccounts()
  const { token } = await done('hub-token create', write)
  const answer = await run('hub-token show', { hubToken: token })
  expect(answer).toMatchObject({ code: 'bad_request', path: 'hubToken' })
  expect(JSON.stringify(answer)).not.toContain(token)
})

test('a revoked hub token stays revoked, stays listed and cannot be changed', async () => {
  const directory = await withAccounts()
  const { run, done } = directory
  const { id: hubToken } = await done('hub-token create', write)
  const revoked = await done('hub-token revoke', { hubToken })
  directory.now = (start + 60) as typeof directory.now
  expect(await run('hub-token revoke', { hubToken })).toEqual(revoked)
  expect(await run('hub-token set', { hubToken, expiresAt: 'never' })).toMatchObject({
    code: 'conflict',
  })
  expect(await run('hub-token list')).toMatchObject({ total: 0 })
  expect(await run('hub-token list', { state: 'revoked' })).toMatchObject({
    items: [{ id: hubToken, revokedAt: '2027-01-15T08:00:00Z' }],
  })
})

test('an id that is unknown is refused', async () => {
  const { run } = await withAccounts()
  for (const words of ['hub-token show', 'hub-token set', 'hub-token revoke']) {
    expect(await run(words, { hubToken: 'a'.repeat(26) })).toMatchObject({
      code: 'resource_not_found',
    })
  }
})

test('the answer holds the token once; the directory holds its hash and a hint', async () => {
  const { done, everything } = await withAccounts()
  const { token, id, hint } = await done('hub-token create', write)
  const secret = parseHubToken(String(token), new Set(['lk_']))
  if (secret === undefined) throw new Error('not a hub token')
  const stored = JSON.stringify(await everything())
  expect(stored).toContain(hashHubToken(secret))
  expect(stored).not.toContain(token)
  expect(String(token).slice(0, -6)).toMatch(new RegExp(`${hint}$`))
  expect(JSON.stringify(await done('hub-token show', { hubToken: id }))).not.toContain(token)
})

test('until it is answered the token cannot be printed', async () => {
  const { store, work } = await withAccounts()
  const made = await store.directory.change((transaction) =>
    createHubToken(work(transaction), { ...write, kind: 'write' }),
  )
  if (isRefusal(made)) throw new Error(made.detail)
  expect(made.token).toBeInstanceOf(Secret)
  const text = made.token.reveal()
  expect(JSON.stringify(made) + inspect(made) + String(made.token)).not.toContain(text)
})

test('a change of grants or expiry keeps the secret', async () => {
  const { run, done, everything } = await withAccounts()
  const input = { ...write, kind: 'fine-grained', grants: [grant] }
  const { id: hubToken } = await done('hub-token create', input)
  const hashOf = async () => /"secret_hash":"\w+"/.exec(JSON.stringify(await everything()))?.[0]
  const before = await hashOf()
  const grants = [{ on: 'acme/*', contents: 'write', refs: ['main', 'release/*'] }]
  expect(
    await run('hub-token set', { hubToken, grants, expiresAt: '2028-01-01T01:00:00+01:00' }),
  ).toMatchObject({ grants, expiresAt: '2028-01-01T00:00:00Z' })
  expect(await run('hub-token set', { hubToken, expiresAt: 'never' })).not.toHaveProperty(
    'expiresAt',
  )
  expect(await hashOf()).toBe(before)
})

test('a change obeys the same rules as the making', async () => {
  const { run, done } = await withAccounts()
  const { id: hubToken } = await done('hub-token create', write)
  for (const change of [
    { grants: [grant] },
    { adminScopes: ['account'] },
    { expiresAt: '2020-01-01T00:00:00Z' },
  ]) {
    expect(await run('hub-token set', { hubToken, ...change })).toMatchObject({
      code: 'bad_request',
      path: Object.keys(change)[0],
    })
  }
})
