/** Teams: accounts of a namespace that get their roles together. */

import {
  asAccountId,
  isRefusal,
  parseRepoRef,
  parseRevision,
  type RepoRef,
  unixSeconds,
} from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import { repositoryFinder } from '../../src/access/find-repository.ts'
import { findReach, rowsAfter } from '../../src/as-caller/reachable-rows.ts'
import { namespacesOf } from '../../src/verbs/held-roles.ts'
import { administrator, hash, type Opened, openDirectory, start } from './open-directory.ts'

const repository = 'models/acme/bert'
const curators = { namespace: 'acme', team: 'curators' }

const file = {
  accounts: ['ada', 'bob', 'cyd', 'curators'].map((name) => ({ name })),
  namespaces: [
    { name: 'acme', members: { ada: 'read' }, teams: { curators: { role: 'write' }, idle: {} } },
    { name: 'other', teams: { curators: { role: 'admin' } } },
  ],
  repositories: [
    { type: 'model', id: 'acme/bert', branches: { main: hash(1) } },
    { type: 'model', id: 'other/gpt', branches: { main: hash(1) } },
  ],
}

async function opened(): Promise<Opened> {
  const directory = await openDirectory()
  const applied = await directory.apply(file)
  if (isRefusal(applied)) throw new Error(applied.detail)
  return directory
}

/** The role that the hub finds for a token request. */
async function roleOf({ store, done }: Opened, account: string, path = repository) {
  const { id } = await done('account show', { account })
  const repo = parseRepoRef(path) as RepoRef
  const find = repositoryFinder(store.access, () => start)
  return (await find(id as never, repo, parseRevision('main')))?.role
}

describe('the strongest role counts', () => {
  test('of the account itself and of its teams, for the namespace or the repository', async () => {
    const directory = await opened()
    const { done } = directory
    expect(await roleOf(directory, 'bob')).toBeUndefined()
    await done('team-member set', { ...curators, account: 'bob' })
    expect(await roleOf(directory, 'bob')).toBe('write')
    await done('team-member set', { ...curators, account: 'ada' })
    expect(await roleOf(directory, 'ada')).toBe('write')
    await done('team-role set', { repository, team: 'idle', role: 'admin' })
    expect(await roleOf(directory, 'ada')).toBe('write')
    await done('team-member set', { namespace: 'acme', team: 'idle', account: 'ada' })
    expect(await roleOf(directory, 'ada')).toBe('admin')
    await done('team set', { ...curators, role: 'none' })
    expect(await roleOf(directory, 'bob')).toBeUndefined()
    expect(await roleOf(directory, 'ada')).toBe('admin')
    await done('team-role set', { repository, team: 'idle', role: 'read' })
    expect(await roleOf(directory, 'ada')).toBe('read')
  })

  test('and goes with each part that gave it', async () => {
    const ways: Readonly<Record<string, (opened: Opened) => Promise<unknown>>> = {
      membership: ({ done }) => done('team-member delete', { ...curators, account: 'bob' }),
      team: ({ done }) => done('team delete', curators),
      role: ({ done }) => done('team-role delete', { repository, team: 'curators' }),
      repository: async ({ done }) => {
        await done('repo delete', { repository })
        await done('repo create', { repository })
      },
      account: async ({ done }) => {
        await done('account delete', { account: 'bob' })
        await done('account create', { name: 'bob' })
      },
    }
    for (const [name, end] of Object.entries(ways)) {
      const directory = await opened()
      const { done, store } = directory
      await done('team set', { ...curators, role: 'none' })
      await done('team-member set', { ...curators, account: 'bob' })
      await done('team-role set', { repository, team: 'curators', role: 'write' })
      expect(await roleOf(directory, 'bob'), name).toBe('write')
      await end(directory)
      expect(await roleOf(directory, 'bob'), name).toBeUndefined()
      const left = await store.directory.read((tables) =>
        tables.selectFrom('team_access').selectAll().execute(),
      )
      expect(left, name).toEqual([])
    }
  })

  test('in the namespace of the team alone', async () => {
    const directory = await opened()
    await directory.done('team-member set', { ...curators, account: 'bob' })
    expect(await roleOf(directory, 'bob', 'models/other/gpt')).toBeUndefined()
    const foreign = { repository: 'models/other/gpt', team: 'idle', role: 'admin' }
    expect(await directory.run('team-role set', foreign)).toMatchObject({
      code: 'resource_not_found',
      detail: expect.stringContaining('The namespace "other" has no team "idle"'),
    })
  })
})

describe('a team', () => {
  test('is listed with its members and roles', async () => {
    const { done } = await opened()
    const until = '2099-01-01T00:00:00Z'
    await done('team-member set', { ...curators, account: 'bob', until })
    await done('team-member set', { ...curators, account: 'ada' })
    await done('team-role set', { repository, team: 'curators', role: 'admin' })
    expect(await done('team list', { namespace: 'acme' })).toMatchObject({
      items: [
        { namespace: 'acme', team: 'curators', role: 'write' },
        { namespace: 'acme', team: 'idle', role: 'none' },
      ],
      total: 2,
    })
    expect(await done('team-member list', { ...curators, limit: 1 })).toEqual({
      items: [{ ...curators, account: 'ada' }],
      total: 2,
      next: 'ada',
    })
    expect(await done('team-member list', { ...curators, after: 'ada' })).toMatchObject({
      items: [{ account: 'bob', until }],
    })
    expect(await done('team-role list', { repository })).toMatchObject({
      items: [{ repository, team: 'curators', role: 'admin' }],
    })
    expect(await done('team show', curators)).toMatchObject({ role: 'write' })
  })

  // conformance: Attacks / 77. An administrator of a namespace reaches beyond it
  test('may be called like an account, and neither gets anything of the other', async () => {
    const directory = await opened()
    const { done, run } = directory
    await done('team-member set', { ...curators, account: 'bob' })
    expect(await roleOf(directory, 'curators')).toBeUndefined()
    const asAccount = { namespace: 'acme', account: 'acme/curators', role: 'admin' }
    expect(await run('member set', asAccount)).toMatchObject({ code: 'bad_request' })
    expect(await run('team-member set', { ...curators, account: 'idle' })).toMatchObject({
      code: 'resource_not_found',
    })
  })

  test.each([
    ['team create', { namespace: 'acme', team: 'Curators' }, 'conflict'],
    ['team create', { namespace: 'nowhere', team: 'x' }, 'resource_not_found'],
    ['team show', { namespace: 'acme', team: 'CURATORS' }, 'resource_not_found'],
    ['team set', { namespace: 'acme', team: 'none', role: 'read' }, 'resource_not_found'],
    ['team delete', { namespace: 'acme', team: 'none' }, 'resource_not_found'],
    ['team-member set', { ...curators, account: 'nobody' }, 'resource_not_found'],
    [
      'team-member set',
      { ...curators, account: 'bob', until: '2020-01-01T00:00:00Z' },
      'bad_request',
    ],
    ['team-member delete', { ...curators, account: 'bob' }, 'resource_not_found'],
    ['team-role delete', { repository, team: 'curators' }, 'resource_not_found'],
    [
      'team-role set',
      { repository: 'models/acme/none', team: 'idle', role: 'read' },
      'resource_not_found',
    ],
  ])('is refused: %s %j', async (words, input, code) => {
    const { run } = await opened()
    expect(await run(words, input)).toMatchObject({ code })
  })
})

describe('revocation entries of a team', () => {
  async function entriesAfter(members: number, words: string, input: object) {
    const directory = await opened()
    const names = Array.from({ length: members }, (_, index) => `person-${index}`)
    const teams = {
      curators: { members: Object.fromEntries(names.map((name) => [name, {}])) },
      idle: {},
    }
    const applied = await directory.apply({
      accounts: names.map((name) => ({ name })),
      namespaces: [{ name: 'acme', teams }],
      repositories: [
        { type: 'model', id: 'acme/two' },
        { type: 'model', id: 'acme/bert', teams: { curators: 'admin' } },
      ],
    })
    if (isRefusal(applied)) throw new Error(applied.detail)
    await directory.done(words, input)
    const rows = await directory.store.directory.read((tables) =>
      tables.selectFrom('cut_offs').select('kind').execute(),
    )
    const kinds = rows.map(({ kind }) => kind)
    return Object.fromEntries(
      [...new Set(kinds)].map((kind) => [kind, kinds.filter((one) => one === kind).length]),
    )
  }

  test('name its accounts, up to 256 of them', async () => {
    expect(await entriesAfter(256, 'team delete', curators)).toEqual({ 'account+namespace': 256 })
    const role = { repository, team: 'curators' }
    expect(await entriesAfter(256, 'team-role delete', role)).toEqual({ 'account+repository': 256 })
  })

  test('name its repositories where it has more accounts', async () => {
    expect(await entriesAfter(257, 'team set', { ...curators, role: 'read' })).toEqual({
      repository: 2,
    })
    const role = { repository, team: 'curators' }
    expect(await entriesAfter(257, 'team-role delete', role)).toEqual({ repository: 1 })
    const one = { ...curators, account: 'person-0' }
    expect(await entriesAfter(257, 'team-member delete', one)).toEqual({ 'account+namespace': 1 })
  })
})

describe('what an account finds', () => {
  const listed = async ({ store, done }: Opened, account: string, now = start) => {
    const { id } = await done('account show', { account })
    const accountId = asAccountId(String(id))
    const caller = { ...administrator(), accountId, accountName: account, kind: 'write' as const }
    return store.readBeside(async (tables) => {
      const reach = await findReach(tables, caller, { type: 'model', limit: 10 }, now)
      const rows = await rowsAfter(tables, reach, { after: '', limit: 10 })
      return {
        repositories: rows.map(({ path }) => path),
        namespaces: await namespacesOf(tables, { accountId, now }, 10),
      }
    })
  }

  test('has the repositories and namespaces of its teams, until the membership ends', async () => {
    const directory = await opened()
    const { done } = directory
    const nothing = { repositories: [], namespaces: [] }
    expect(await listed(directory, 'bob')).toEqual(nothing)
    const until = unixSeconds(start + 60)
    const end = new Date(until * 1000).toISOString()
    await done('team-member set', { ...curators, account: 'bob', until: end })
    const all = { repositories: [repository], namespaces: [{ name: 'acme', role: 'write' }] }
    expect(await listed(directory, 'bob')).toEqual(all)
    expect(await listed(directory, 'bob', until)).toEqual(nothing)
    await done('team-role set', { repository, team: 'curators', role: 'read' })
    await done('team set', { ...curators, role: 'none' })
    expect(await listed(directory, 'bob')).toEqual({ ...all, namespaces: [] })
    expect(await listed(directory, 'bob', until)).toEqual(nothing)
    await done('team-member set', { ...curators, account: 'ada' })
    expect(await listed(directory, 'ada')).toEqual({
      repositories: [repository],
      namespaces: [{ name: 'acme', role: 'read' }],
    })
  })
})

describe('explain says', () => {
  const ask = { scope: 'read', repository, account: 'bob' }
  const accountStep = async ({ done }: Opened, question: object) => {
    const { steps } = (await done('explain', question)) as {
      steps: { step: string; detail: string }[]
    }
    return steps.find(({ step }) => step === 'account')?.detail
  }

  test('through which teams the account has its role, and until when', async () => {
    const directory = await opened()
    const { done } = directory
    await done('team-member set', { ...curators, account: 'bob', until: '2030-01-01T00:00:00Z' })
    expect(await accountStep(directory, ask)).toBe(
      'bob has the role write; the repository is private; the role comes through the team acme/curators (until 2030-01-01T00:00:00Z)',
    )
    await done('team-role set', { repository, team: 'idle', role: 'write' })
    await done('team-member set', { namespace: 'acme', team: 'idle', account: 'bob' })
    expect(await accountStep(directory, ask)).toMatch(
      /through the teams acme\/idle, acme\/curators \(until/,
    )
  })

  test('nothing about teams where the account holds the role itself', async () => {
    const directory = await opened()
    await directory.done('team-member set', { ...curators, account: 'bob' })
    await directory.done('collaborator set', { repository, account: 'bob', role: 'write' })
    expect(await accountStep(directory, ask)).toBe(
      'bob has the role write; the repository is private',
    )
  })
})

describe('an apply file', () => {
  test('makes teams as it says, and does nothing the second time', async () => {
    const { apply, done } = await opened()
    const wanted = {
      namespaces: [{ name: 'acme', teams: { curators: { role: 'admin', members: { bob: {} } } } }],
      repositories: [{ type: 'model', id: 'acme/bert', teams: { curators: 'write' } }],
    }
    const first = await apply(wanted)
    expect(first).toMatchObject({
      changes: [
        { what: 'namespace', name: 'acme', did: 'changed' },
        { what: 'repository', name: repository, did: 'changed' },
      ],
    })
    expect(await apply(wanted)).toMatchObject({ changes: [] })
    expect(await done('team list', { namespace: 'acme' })).toMatchObject({
      items: [{ team: 'curators', role: 'admin' }],
    })
    expect(await done('team-member list', curators)).toMatchObject({ items: [{ account: 'bob' }] })
  })

  test.each([
    [
      { namespaces: [{ name: 'acme', teams: { Curators: {} } }] },
      'namespaces[0].teams.Curators',
      'conflict',
    ],
    [
      { namespaces: [{ name: 'acme', teams: { a: {}, A: {} } }] },
      'namespaces[0].teams[1]',
      'bad_request',
    ],
    [
      { namespaces: [{ name: 'acme', teams: { a: { members: { nobody: {} } } } }] },
      'namespaces[0].teams.a.members.nobody',
      'resource_not_found',
    ],
    [
      {
        namespaces: [
          { name: 'acme', teams: { a: { members: { bob: { until: '2020-01-01T00:00:00Z' } } } } },
        ],
      },
      'namespaces[0].teams.a.members.bob.until',
      'bad_request',
    ],
    [
      { repositories: [{ type: 'model', id: 'acme/bert', teams: { nobody: 'read' } }] },
      'repositories[0].teams.nobody',
      'resource_not_found',
    ],
  ])('is refused: %j', async (wrong, path, code) => {
    const { apply } = await opened()
    expect(await apply(wrong)).toMatchObject({ path, code })
  })
})
