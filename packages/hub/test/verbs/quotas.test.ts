/** Quotas: a namespace gets one from the hub's administrators, and its own administrators divide it. */

import { asAccountId, isRefusal } from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import { administrator, type Opened, openDirectory } from './open-directory.ts'

const acme = { namespace: 'acme' }
const [bert, gpt] = ['models/acme/bert', 'models/acme/gpt']

const file = {
  accounts: [{ name: 'ada' }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' }, quota: '1TB' }, { name: 'beta' }],
  repositories: [
    { type: 'model', id: 'acme/bert', quota: '400GB' },
    { type: 'model', id: 'acme/gpt' },
    { type: 'model', id: 'beta/free' },
  ],
}

async function opened(): Promise<Opened> {
  const directory = await openDirectory()
  const applied = await directory.apply(file)
  if (isRefusal(applied)) throw new Error(applied.detail)
  return directory
}

/** From here on the account ada acts, with a hub token for these namespaces. */
async function actAsAda(directory: Opened, namespaces: readonly string[]): Promise<void> {
  const { id } = await directory.done('account show', { account: 'ada' })
  const accountId = asAccountId(String(id))
  directory.actor = {
    ...{ ...administrator(), accountId, accountName: 'ada' },
    ...{ administrator: false, namespaces },
  }
}

describe('a quota', () => {
  test('is shown with the part that the repositories have', async () => {
    const { done } = await opened()
    const shown = { quotaBytes: 1e12, dividedBytes: 4e11 }
    expect(await done('namespace show', acme)).toMatchObject(shown)
    const { items } = await done('namespace list')
    expect(items).toMatchObject([{ name: 'acme', ...shown }, { name: 'beta' }])
    expect(Object(items)[1]).not.toHaveProperty('quotaBytes')
    expect(await done('repo show', { repository: bert })).toMatchObject({ quotaBytes: 4e11 })
    expect(await done('repo show', { repository: gpt })).not.toHaveProperty('quotaBytes')
  })

  test.each([
    ['1048576', 1_048_576],
    ['1.5TB', 1.5e12],
    ['1.1GB', 1.1e9],
    ['2kB', 2000],
  ])('may be written as %s', async (quota, quotaBytes) => {
    const { done } = await openDirectory()
    expect(await done('namespace create', { name: 'acme', quota })).toMatchObject({ quotaBytes })
  })

  test.each(['0', '0.5', '-1', '1e9', '500 GB', '1GiB', '9007PB', '1.23456GB', 'all', ''])(
    'may not be written as "%s"',
    async (quota) => {
      const { run } = await opened()
      expect(await run('namespace set', { ...acme, quota })).toMatchObject({
        ...{ code: 'bad_request', path: 'quota' },
        detail: expect.stringContaining('500GB'),
      })
    },
  )

  test('ends with none', async () => {
    const { done } = await opened()
    const repository = await done('repo set', { repository: bert, quota: 'none' })
    expect(repository).not.toHaveProperty('quotaBytes')
    const namespace = await done('namespace set', { ...acme, quota: 'none' })
    expect(namespace).not.toHaveProperty('quotaBytes')
    expect(await done('repo set', { repository: bert, quota: '9PB' })).toMatchObject({
      quotaBytes: 9e15,
    })
  })

  test('is in the journal with its earlier value', async () => {
    const { done } = await opened()
    const { last } = await done('changes', { limit: 1000 })
    await done('namespace set', { ...acme, quota: '2TB' })
    await done('repo set', { repository: bert, quota: 'none' })
    const { items } = await done('changes', { after: String(last) })
    expect(items).toMatchObject([
      { verb: 'namespace set', before: { quotaBytes: 1e12 }, after: { quotaBytes: 2e12 } },
      { verb: 'repo set', before: { quotaBytes: 4e11 }, after: { quotaBytes: null } },
    ])
  })

  test('of repositories is not more than that of their namespace together', async () => {
    const { run, done } = await opened()
    const beyond = { code: 'conflict', detail: expect.stringContaining('1000000000000 bytes') }
    expect(await run('repo set', { repository: gpt, quota: '601GB' })).toMatchObject(beyond)
    const another = { repository: 'models/acme/third', quota: '601GB' }
    expect(await run('repo create', another)).toMatchObject(beyond)
    await done('repo set', { repository: gpt, quota: '600GB' })
    expect(await run('namespace set', { ...acme, quota: '999GB' })).toMatchObject({
      code: 'conflict',
    })
    // To another repository, it is given after it was taken from the first.
    await done('repo set', { repository: bert, quota: '100GB' })
    await done('repo set', { repository: gpt, quota: '900GB' })
    await done('repo delete', { repository: gpt })
    await done('repo set', { repository: bert, quota: '1TB' })
    expect(await done('namespace show', acme)).toMatchObject({ dividedBytes: 1e12 })
  })

  test('stays as it is where a change or a file does not name it', async () => {
    const { apply, done } = await opened()
    await done('namespace set', { ...acme, storage: 'default' })
    await done('repo set', { repository: bert, visibility: 'public' })
    expect(await apply({ ...file, repositories: [{ type: 'model', id: 'acme/bert' }] })).toEqual({
      ...{ changes: [], hubTokens: [] },
    })
    expect(await done('repo show', { repository: bert })).toMatchObject({ quotaBytes: 4e11 })
  })
})

describe('an apply file', () => {
  const two = (one: string, other: string) => [
    { type: 'model', id: 'acme/bert', quota: one },
    { type: 'model', id: 'acme/gpt', quota: other },
  ]

  test('moves quota from one repository to another', async () => {
    const { apply, done } = await opened()
    expect(await apply({ repositories: two('1kB', '999GB') })).toMatchObject({
      changes: [{ name: bert }, { name: gpt }],
    })
    expect(await done('namespace show', acme)).toMatchObject({ dividedBytes: 999e9 + 1000 })
  })

  test('that gives more than the namespace has changes nothing', async () => {
    const { apply, everything } = await opened()
    const stored = await everything()
    for (const wanted of [
      { repositories: two('400GB', '601GB') },
      { namespaces: [{ name: 'acme', quota: '399GB' }] },
      { namespaces: [{ name: 'acme', quota: '1GB' }], repositories: two('1GB', '1GB') },
    ]) {
      expect(await apply(wanted)).toMatchObject({ code: 'conflict', path: 'namespaces' })
    }
    expect(await everything()).toEqual(stored)
  })

  test('may prune a repository and give its quota to another', async () => {
    const { apply } = await opened()
    const wanted = {
      repositories: [
        { type: 'model', id: 'acme/gpt', quota: '1TB' },
        { type: 'model', id: 'beta/free' },
      ],
    }
    expect(isRefusal(await apply(wanted, { prune: true }))).toBe(false)
  })
})

describe('an administrator of a namespace', () => {
  test('reads its quota and divides it', async () => {
    const directory = await opened()
    await actAsAda(directory, ['acme'])
    const { done, run } = directory
    expect(await done('namespace show', acme)).toMatchObject({ quotaBytes: 1e12 })
    await done('repo set', { repository: gpt, quota: '600GB' })
    await done('repo set', { repository: bert, quota: 'none' })
    await done('repo create', { repository: 'models/acme/new', quota: '400GB' })
    expect(await run('repo set', { repository: bert, quota: '1' })).toMatchObject({
      code: 'conflict',
    })
  })

  test('sets no quota of a namespace, also not of its own', async () => {
    const directory = await opened()
    await actAsAda(directory, ['acme'])
    const { everything, run } = directory
    const stored = await everything()
    for (const [words, input] of [
      ['namespace set', { ...acme, quota: 'none' }],
      ['namespace set', { ...acme, quota: '2TB' }],
      ['namespace create', { name: 'new', quota: '2TB' }],
      ['repo set', { repository: 'models/beta/free', quota: '1GB' }],
      ['apply', { file: { namespaces: [{ name: 'acme', quota: '2TB' }] } }],
    ] as const) {
      expect(await run(words, input)).toMatchObject({ code: 'permission_denied' })
    }
    expect(await everything()).toEqual(stored)
  })

  test('changes no quota that the hub gave to a repository of a namespace without one', async () => {
    const directory = await opened()
    const { done, run } = directory
    await done('namespace set', { ...acme, quota: 'none' })
    await actAsAda(directory, ['acme'])
    for (const quota of ['none', '1', '9TB']) {
      expect(await run('repo set', { repository: bert, quota })).toMatchObject({
        code: 'permission_denied',
        detail: expect.stringContaining('has no quota that you can divide'),
      })
    }
    await done('repo set', { repository: bert, visibility: 'public' })
  })

  test('creates no more repositories than callers may have in a namespace', async () => {
    const directory = await opened()
    directory.repositoriesPerNamespace = 3
    await actAsAda(directory, ['acme'])
    const { done, run } = directory
    await done('repo create', { repository: 'models/acme/third' })
    const fourth = { repository: 'models/acme/fourth' }
    expect(await run('repo create', fourth)).toMatchObject({
      code: 'quota_exceeded',
      detail: expect.stringContaining('3 repositories'),
    })
    directory.actor = undefined
    await done('repo create', fourth)
  })
})
