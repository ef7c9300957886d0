import { isRefusal, Secret } from '@latchkey/protocol'
import { rounds } from '@latchkey/testing/chance'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countOf } from '../../src/tables/columns.ts'
import { isLongHere, longHere } from '../stores/test-store.ts'
import { hash, openDirectory, start } from '../verbs/open-directory.ts'

const file = {
  accounts: [
    { name: 'maintainer', administrator: true },
    { name: 'reader' },
    { name: 'guest' },
    { name: 'ci-bot', kind: 'service' },
  ],
  namespaces: [
    { name: 'acme', members: { maintainer: 'admin', reader: 'read', 'ci-bot': 'write' } },
  ],
  repositories: [
    {
      type: 'model',
      id: 'acme/bert',
      visibility: 'private',
      defaultBranch: 'main',
      branches: { main: hash(1), dev: { commit: hash(2), from: 'main' } },
      tags: { 'v1.0': hash(1) },
      refs: { 'refs/pr/1': hash(3) },
      commits: { [hash(9)]: ['main'] },
      collaborators: { guest: 'write' },
      refRules: [{ pattern: 'release/*', write: 'admin' }],
    },
  ],
  hubTokens: [
    { account: 'maintainer', name: 'laptop', kind: 'write', expiresAt: '2027-06-01T00:00:00Z' },
    {
      account: 'ci-bot',
      name: 'ci',
      kind: 'fine-grained',
      grants: [{ on: 'models/acme/bert', contents: 'write', refs: ['main'] }],
    },
  ],
}

const repository = 'models/acme/bert'
const [bert] = file.repositories

test('everything that a file names becomes as it says', async () => {
  const { apply, done } = await openDirectory()
  const applied = await apply(file)
  if (isRefusal(applied)) throw new Error(applied.detail)
  expect(applied.changes.map(({ what, name, did }) => `${what} ${name} ${did}`)).toEqual([
    'account maintainer created',
    'account reader created',
    'account guest created',
    'account ci-bot created',
    'namespace acme created',
    'repository models/acme/bert created',
    'hub-token maintainer/laptop created',
    'hub-token ci-bot/ci created',
  ])
  expect(applied.hubTokens.map(({ token }) => token instanceof Secret)).toEqual([true, true])
  expect(await done('member list', { namespace: 'acme' })).toMatchObject({ total: 3 })
  expect((await done('ref list', { repository }))['items']).toMatchObject([
    { name: 'refs/heads/dev', commit: hash(2), from: 'main' },
    { name: 'refs/heads/main', commit: hash(1) },
    { name: 'refs/pr/1', commit: hash(3) },
    { name: 'refs/tags/v1.0', commit: hash(1) },
  ])
  expect((await done('commit list', { repository }))['items']).toMatchObject([
    { hash: hash(1), on: ['main'] },
    { hash: hash(2), on: ['dev'] },
    { hash: hash(3), on: ['refs/pr/1'] },
    { hash: hash(9), on: ['main'] },
  ])
})

test('applying a file again changes nothing, whenever that is', async () => {
  const directory = await openDirectory()
  await directory.apply(file)
  const stored = await directory.everything()
  directory.now = (start + 365 * 86_400) as typeof directory.now
  expect(await directory.apply(file)).toEqual({ changes: [], hubTokens: [] })
  expect(await directory.apply(file, { prune: true })).toEqual({ changes: [], hubTokens: [] })
  expect(await directory.everything()).toEqual(stored)
})

test('what a file does not name stays, and an absent member leaves the stored one', async () => {
  const { apply, everything } = await openDirectory()
  await apply(file)
  const stored = await everything()
  const less = {
    accounts: [{ name: 'maintainer' }],
    namespaces: [{ name: 'acme' }],
    repositories: [{ type: 'model', id: 'acme/bert' }],
    hubTokens: [{ account: 'ci-bot', name: 'ci', kind: 'fine-grained' }],
  }
  expect(await apply(less)).toEqual({ changes: [], hubTokens: [] })
  expect(await everything()).toEqual(stored)
})

test('a list inside a named thing replaces the stored list', async () => {
  const { apply, done } = await openDirectory()
  await apply(file)
  const applied = await apply({
    namespaces: [{ name: 'acme', members: { reader: 'write' } }],
    repositories: [
      {
        type: 'model',
        id: 'acme/bert',
        branches: { main: hash(7), next: hash(8) },
        tags: {},
        collaborators: { reader: 'admin' },
        refRules: [],
      },
    ],
  })
  expect(applied).toMatchObject({
    changes: [
      { what: 'namespace', name: 'acme', did: 'changed' },
      { what: 'repository', name: repository, did: 'changed' },
      { what: 'ref', name: `${repository}@refs/heads/dev`, did: 'deleted' },
      { what: 'ref', name: `${repository}@refs/tags/v1.0`, did: 'deleted' },
      { what: 'ref', name: `${repository}@refs/heads/main`, did: 'changed' },
      { what: 'ref', name: `${repository}@refs/heads/next`, did: 'created' },
    ],
  })
  expect((await done('member list', { namespace: 'acme' }))['items']).toEqual([
    { namespace: 'acme', account: 'reader', role: 'write' },
  ])
  expect((await done('ref list', { repository }))['items']).toMatchObject([
    { name: 'refs/heads/main', commit: hash(7) },
    { name: 'refs/heads/next', commit: hash(8) },
    { name: 'refs/pr/1' },
  ])
  expect(await done('collaborator list', { repository })).toMatchObject({
    items: [{ account: 'reader', role: 'admin' }],
  })
  expect(await done('ref-rule list', { repository })).toMatchObject({ total: 0 })
})

test('commits only add up: those that a file leaves out stay on record', async () => {
  const { apply, done } = await openDirectory()
  await apply(file)
  const commits = { [hash(9)]: ['dev'], [hash(10)]: [] }
  const again = { repositories: [{ type: 'model', id: 'acme/bert', commits }] }
  expect(await apply(again)).toMatchObject({
    changes: [
      { what: 'commit', name: `${repository}@${hash(9)}`, did: 'recorded' },
      { what: 'commit', name: `${repository}@${hash(10)}`, did: 'recorded' },
    ],
  })
  expect(await apply(again)).toMatchObject({ changes: [] })
  const { items } = await done('commit list', { repository })
  expect((items as { hash: string }[]).find((commit) => commit.hash === hash(9))).toMatchObject({
    on: ['main', 'dev'],
  })
})

test('a branch and its uid survive a move; a branch left out and named again is another', async () => {
  const { apply, done } = await openDirectory()
  const main = async () => (await done('ref show', { repository, ref: 'main' }))['uid']
  const branches = (list: object) =>
    apply({ repositories: [{ type: 'model', id: 'acme/bert', branches: list }] })
  await apply(file)
  const first = await main()
  await branches({ main: hash(5) })
  expect(await main()).toBe(first)
  await branches({})
  await branches({ main: hash(5) })
  expect(await main()).not.toBe(first)
})

test('a deleted tag makes way for a branch of its name in the same file', async () => {
  const { apply } = await openDirectory()
  await apply(file)
  const changed = { ...bert, branches: { ...bert?.branches, 'v1.0': hash(1) }, tags: {} }
  expect(await apply({ repositories: [changed] })).not.toHaveProperty('code')
})

test('changed grants and expiry keep the secret; a revoked hub token is made anew', async () => {
  const { apply, done, everything } = await openDirectory()
  await apply(file)
  const hashes = async () =>
    Array.from(JSON.stringify(await everything()).matchAll(/"secret_hash":"\w+"/g), String)
  const before = await hashes()
  const [laptop, ci] = file.hubTokens
  const changed = [
    { ...laptop, expiresAt: 'never' },
    { ...ci, grants: [{ on: '*', contents: 'read' }] },
  ]
  expect(await apply({ hubTokens: changed })).toMatchObject({
    changes: [{ did: 'changed' }, { did: 'changed' }],
    hubTokens: [],
  })
  expect(await hashes()).toEqual(before)
  const { items } = await done('hub-token list', { account: 'ci-bot' })
  await done('hub-token revoke', { hubToken: (items as { id: string }[])[0]?.id })
  expect(await apply({ hubTokens: changed })).toMatchObject({
    changes: [{ name: 'ci-bot/ci', did: 'created' }],
    hubTokens: [{ account: 'ci-bot', name: 'ci' }],
  })
})

test('the order of branches in a file does not matter', async () => {
  const line = ['main', 'a', 'b', 'c', 'refs/pr/1']
  const entries = line.map((name, index) => {
    const from = index === 0 ? {} : { from: line[index - 1] }
    return [name, { commit: hash(index), ...from }] as const
  })
  const { apply, done } = await openDirectory()
  await apply({ namespaces: [{ name: 'acme' }] })
  let count = 0
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray(entries, { minLength: entries.length }),
      async (shuffled) => {
        count += 1
        const id = `acme/bert-${count}`
        const isOther = (name: string) => name.startsWith('refs/')
        const branches = Object.fromEntries(shuffled.filter(([name]) => !isOther(name)))
        const refs = Object.fromEntries(shuffled.filter(([name]) => isOther(name)))
        const repositories = [{ type: 'model', id, branches, refs }]
        expect(await apply({ repositories })).not.toHaveProperty('code')
        const { items } = await done('ref list', { repository: `models/${id}` })
        const origins = (items as { name: string; from?: string }[]).map(({ from }) => from)
        expect(origins).toEqual(['main', 'a', 'b', undefined, 'c'])
      },
    ),
    { numRuns: isLongHere ? 5 : 15 },
  )
})

const manyRepositories = rounds(50, 1000)

test(`a file of ${manyRepositories} repositories takes seconds, and so does applying it again`, {
  timeout: 120_000,
}, async () => {
  const { apply } = await openDirectory()
  const many = {
    namespaces: [{ name: 'acme' }],
    repositories: Array.from({ length: manyRepositories }, (_, index) => ({
      type: 'model',
      id: `acme/r${index}`,
      branches: { main: hash(index), dev: { commit: hash(index), from: 'main' } },
      tags: { v1: hash(index) },
    })),
  }
  const started = performance.now()
  await apply(JSON.stringify(many))
  expect(await apply(JSON.stringify(many))).toEqual({ changes: [], hubTokens: [] })
  expect(performance.now() - started).toBeLessThan(60_000)
})

test('whatever lists come one after another, the refs are as the last one says', async () => {
  const { apply, done, everything } = await openDirectory()
  await apply({
    namespaces: [{ name: 'acme' }],
    repositories: [{ type: 'model', id: 'acme/bert' }],
  })
  const commit = fc.integer({ min: 0, max: 3 }).map(hash)
  const short = fc.constantFrom('a', 'b', 'c/d')
  const list = (names: fc.Arbitrary<string>) => fc.dictionary(names, commit)
  const lists = fc.record({
    branches: list(short),
    tags: list(short),
    refs: list(fc.constantFrom('refs/pr/1', 'refs/pr/2')),
  })
  await fc.assert(
    fc.asyncProperty(lists, async ({ branches, tags, refs }) => {
      const before = await everything()
      const repositories = [{ type: 'model', id: 'acme/bert', branches, tags, refs }]
      const applied = await apply({ repositories })
      if (isRefusal(applied)) {
        expect(Object.keys(tags).some((name) => name in branches)).toBe(true)
        expect(await everything()).toEqual(before)
        return
      }
      const wanted = new Map([
        ...Object.entries(branches).map(([name, hash]) => [`refs/heads/${name}`, hash] as const),
        ...Object.entries(tags).map(([name, hash]) => [`refs/tags/${name}`, hash] as const),
        ...Object.entries(refs),
      ])
      const { items } = await done('ref list', { repository })
      const found = (items as { name: string; commit: string }[]).map(
        ({ name, commit }) => [name, commit] as const,
      )
      expect(new Map(found)).toEqual(wanted)
    }),
    { numRuns: rounds(isLongHere ? 8 : 25, 300) },
  )
})

/** A statement of SQLite takes 32 766, one of PostgreSQL 65 535, a call in Node about 125 300. */
const manyCommits = rounds(33_000, 130_000)

test('a repository may have more commits than a statement takes parameters', {
  tags: [...longHere],
}, async () => {
  const { apply, store } = await openDirectory()
  const commits = Object.fromEntries(
    Array.from({ length: manyCommits }, (_, index) => [
      (index + 1).toString(16).padStart(40, '0'),
      [],
    ]),
  )
  const file = {
    namespaces: [{ name: 'acme' }],
    repositories: [{ type: 'model', id: 'acme/bert', commits }],
  }
  expect(isRefusal(await apply(file))).toBe(false)
  const stored = await store.directory.read((tables) => countOf(tables.selectFrom('commits')))
  expect(stored).toBe(manyCommits)
})
