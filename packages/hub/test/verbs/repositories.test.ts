import { maxRefRules } from '@latchkey/admin-api'
import { noCommit, refuse } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import { longHere } from '../stores/test-store.ts'
import { hash, openDirectory } from './open-directory.ts'

const repository = 'models/acme/bert'

async function withNamespace() {
  const directory = await openDirectory()
  await directory.done('namespace create', { name: 'acme' })
  await directory.done('account create', { name: 'ada' })
  return directory
}

test('a repository needs a namespace that exists, matched exactly', async () => {
  const { run } = await withNamespace()
  for (const repository of ['models/other/bert', 'models/Acme/bert']) {
    expect(await run('repo create', { repository })).toMatchObject({
      code: 'resource_not_found',
    })
  }
})

test('two repositories of a type cannot differ by case alone', async () => {
  const { run, done } = await withNamespace()
  await done('repo create', { repository })
  expect(await run('repo create', { repository: 'models/acme/BERT' })).toMatchObject({
    code: 'conflict',
    detail: expect.stringContaining(repository),
  })
  expect(await run('repo create', { repository: 'datasets/acme/bert' })).not.toHaveProperty(
    'refused',
  )
})

test.each(['acme/bert', 'model/acme/bert', 'models/acme', 'models/acme/bert/x', 'models/acme/.x'])(
  'a repository cannot be written %j',
  async (repository) => {
    const { run } = await withNamespace()
    expect(await run('repo create', { repository })).toMatchObject({
      code: 'bad_request',
      path: 'repository',
    })
  },
)

test('a tag cannot be the default branch', async () => {
  const { run } = await withNamespace()
  const defaultBranch = 'refs/tags/v1'
  expect(await run('repo create', { repository, defaultBranch })).toMatchObject({
    code: 'bad_request',
    path: 'defaultBranch',
  })
})

test('a new repository is private and its default branch is main', async () => {
  const { run } = await withNamespace()
  expect(await run('repo create', { repository })).toMatchObject({
    repository,
    visibility: 'private',
    defaultBranch: 'main',
  })
})

test('a change leaves what it does not name', async () => {
  const { run, done } = await withNamespace()
  await done('repo create', { repository, defaultBranch: 'trunk' })
  expect(await run('repo set', { repository, visibility: 'public' })).toMatchObject({
    visibility: 'public',
    defaultBranch: 'trunk',
  })
})

test('a repository made again has another uid and nothing of the old one', async () => {
  const { run, done } = await withNamespace()
  const first = await done('repo create', { repository })
  await done('ref set', { repository, ref: 'main', commit: hash(1) })
  await done('collaborator set', { repository, account: 'ada', role: 'write' })
  await done('repo delete', { repository })
  const second = await done('repo create', { repository })
  expect(second['uid']).not.toBe(first['uid'])
  for (const words of ['commit list', 'collaborator list', 'ref-rule list']) {
    expect(await run(words, { repository })).toEqual({ items: [], total: 0 })
  }
  expect(await run('ref list', { repository })).toMatchObject({
    items: [{ name: 'refs/heads/main', commit: noCommit }],
    total: 1,
  })
})

test('every verb about a repository refuses one that does not exist', async () => {
  const { run } = await withNamespace()
  const inputs = {
    'repo show': {},
    'repo set': {},
    'repo delete': {},
    'collaborator set': { account: 'ada', role: 'read' },
    'collaborator list': {},
    'collaborator delete': { account: 'ada' },
    'ref list': {},
    'ref show': { ref: 'main' },
    'ref set': { ref: 'main', commit: hash(1) },
    'ref delete': { ref: 'main' },
    'commit record': { hash: hash(1) },
    'commit list': {},
    'ref-rule set': { pattern: 'main', write: 'admin' },
    'ref-rule list': {},
    'ref-rule delete': { pattern: 'main' },
  }
  for (const [words, input] of Object.entries(inputs)) {
    const answer = await run(words, { repository, ...input })
    expect([words, answer]).toEqual([
      words,
      refuse('resource_not_found', expect.stringContaining(repository), {
        next: ['repo', 'create', repository],
      }),
    ])
  }
})

test('a collaborator that is none cannot be removed', async () => {
  const { run, done } = await withNamespace()
  await done('repo create', { repository })
  expect(await run('collaborator delete', { repository, account: 'ada' })).toMatchObject({
    code: 'resource_not_found',
  })
})

test('setting a collaborator again replaces the role', async () => {
  const { run, done } = await withNamespace()
  await done('repo create', { repository })
  await done('collaborator set', { repository, account: 'ada', role: 'read' })
  await done('collaborator set', { repository, account: 'ada', role: 'write' })
  expect(await run('collaborator list', { repository })).toMatchObject({
    items: [{ account: 'ada', role: 'write' }],
  })
})

test.each(['', 'a b', 'a//b', '***', '*/*/*/*/*'])('a rule cannot be for %j', async (pattern) => {
  const { run } = await withNamespace()
  expect(await run('ref-rule set', { repository, pattern, write: 'admin' })).toMatchObject({
    code: 'bad_request',
    path: 'pattern',
  })
})

test('a rule is for one pattern, however it is written', async () => {
  const { run, done } = await withNamespace()
  await done('repo create', { repository })
  await done('ref-rule set', { repository, pattern: 'release/*', write: 'write' })
  await done('ref-rule set', { repository, pattern: 'refs/heads/release/*', write: 'admin' })
  expect(await run('ref-rule list', { repository })).toMatchObject({
    items: [{ pattern: 'refs/heads/release/*', write: 'admin' }],
    total: 1,
  })
  await done('ref-rule delete', { repository, pattern: 'release/*' })
  expect(await run('ref-rule delete', { repository, pattern: 'release/*' })).toMatchObject({
    code: 'resource_not_found',
  })
})

test('a repository cannot have rules without end', { tags: [...longHere] }, async () => {
  const { run, done } = await withNamespace()
  await done('repo create', { repository })
  for (let n = 0; n < maxRefRules; n += 1) {
    await done('ref-rule set', { repository, pattern: `b${n}`, write: 'admin' })
  }
  const one = { repository, pattern: 'one-more', write: 'admin' }
  expect(await run('ref-rule set', one)).toMatchObject({ code: 'conflict' })
  await done('ref-rule set', { repository, pattern: 'b0', write: 'write' })
})
