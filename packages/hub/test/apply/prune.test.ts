import { randomBytes } from 'node:crypto'
import { isRefusal } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import { findAccountOf } from '../../src/sign-in/find-account.ts'
import { hash, type Opened, openDirectory } from '../verbs/open-directory.ts'

const file = {
  accounts: [{ name: 'ada' }, { name: 'bob' }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }, { name: 'spare' }],
  repositories: [
    { type: 'model', id: 'acme/bert', branches: { main: hash(1) } },
    { type: 'dataset', id: 'acme/bert' },
  ],
  hubTokens: [
    { account: 'ada', name: 'laptop', kind: 'write' },
    { account: 'bob', name: 'laptop', kind: 'read' },
  ],
}

const pruned = { prune: true }

async function changes(directory: Opened, wanted: object) {
  const applied = await directory.apply(wanted, pruned)
  if (isRefusal(applied)) throw new Error(applied.detail)
  return applied.changes.map(({ what, name, did }) => `${what} ${name} ${did}`)
}

test('a namespace is not pruned while it has repositories that stay', async () => {
  const { apply, everything } = await openDirectory()
  await apply(file)
  const stored = await everything()
  expect(await apply({ namespaces: [{ name: 'spare' }] }, pruned)).toMatchObject({
    code: 'conflict',
    path: 'namespaces',
    detail: expect.stringContaining('2 repositories'),
  })
  expect(await everything()).toEqual(stored)
})

test('a hub token of a pruned account is a mistake', async () => {
  const { apply } = await openDirectory()
  await apply(file)
  const wanted = { accounts: [{ name: 'ada' }], hubTokens: file.hubTokens }
  expect(await apply(wanted, pruned)).toMatchObject({
    code: 'conflict',
    path: 'hubTokens[1].account',
    detail: expect.stringContaining('Name it under "accounts" too'),
  })
})

test('a section that is absent prunes nothing', async () => {
  const directory = await openDirectory()
  await directory.apply(file)
  const stored = await directory.everything()
  expect(await changes(directory, {})).toEqual([])
  expect(await changes(directory, { accounts: file.accounts })).toEqual([])
  expect(await directory.everything()).toEqual(stored)
})

test('a section prunes what it does not name; hub tokens are revoked and stay on record', async () => {
  const directory = await openDirectory()
  await directory.apply(file)
  const wanted = {
    accounts: file.accounts,
    namespaces: [{ name: 'acme' }],
    repositories: [{ type: 'model', id: 'acme/bert' }],
    hubTokens: [{ account: 'ada', name: 'laptop', kind: 'write' }],
  }
  expect(await changes(directory, wanted)).toEqual([
    'hub-token bob/laptop revoked',
    'repository datasets/acme/bert deleted',
    'namespace spare deleted',
  ])
  expect(await directory.done('hub-token list', { state: 'revoked' })).toMatchObject({ total: 1 })
  expect(await directory.done('ref list', { repository: 'models/acme/bert' })).toMatchObject({
    total: 1,
  })
})

test('empty sections empty the directory', async () => {
  const directory = await openDirectory()
  await directory.apply(file)
  const empty = { accounts: [], namespaces: [], repositories: [], hubTokens: [] }
  expect(await changes(directory, empty)).toHaveLength(8)
  expect(await directory.everything()).toEqual({
    accounts: [],
    namespaces: [],
    members: [],
    teamMembers: [],
    identities: [],
    repositories: [],
    collaborators: [],
    refs: [],
    commits: [],
    holders: [],
    hubTokens: [],
  })
})

test('what is pruned gives its name free for other letters in the same file', async () => {
  const directory = await openDirectory()
  await directory.apply(file)
  const wanted = { repositories: [{ type: 'model', id: 'acme/BERT' }], hubTokens: [] }
  expect(await changes(directory, wanted)).toContain('repository models/acme/BERT created')
})

test('without prune nothing is deleted', async () => {
  const { apply, everything } = await openDirectory()
  await apply(file)
  const stored = await everything()
  await apply({ accounts: [], namespaces: [], repositories: [], hubTokens: [] })
  expect(await everything()).toEqual(stored)
})

test('an account that a sign-in made stays, and one that an administrator linked goes', async () => {
  const directory = await openDirectory()
  await directory.apply(file)
  const identity = { issuer: 'https://id.example', subject: '6d1f' }
  await directory.done('account link', { account: 'bob', provider: 'corp', ...identity })
  const signedIn = await directory.store.directory.change(async ({ tables, putAs }) => {
    const found = await findAccountOf(tables, {
      identity: { issuer: identity.issuer, subject: 'new', claims: { name: 'mira' } } as never,
      provider: { name: 'corp', nameClaim: 'name' } as never,
      ...{ now: directory.now, randomBytes },
    })
    if (isRefusal(found)) return found
    await putAs({ verb: 'sign in' })(found.changes)
    return found
  })
  expect(isRefusal(signedIn)).toBe(false)
  expect(await changes(directory, { accounts: [{ name: 'ada' }] })).toEqual(['account bob deleted'])
  expect(await directory.run('account show', { account: 'mira' })).toMatchObject({ name: 'mira' })
  // Named in a file, it can be changed by it.
  const named = [{ name: 'ada' }, { name: 'mira', disabled: true }]
  expect(await changes(directory, { accounts: named })).toEqual(['account mira changed'])
})
