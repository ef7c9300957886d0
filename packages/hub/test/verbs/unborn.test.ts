/** A branch without a commit: made with its repository, kept with its uid when the first commit comes. */

import { noCommit } from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import { hash, openDirectory } from './open-directory.ts'

const repository = 'models/acme/bert'
const zeros = ['0'.repeat(40), '0'.repeat(64)]

function fileWith(entry: object) {
  return {
    namespaces: [{ name: 'acme' }],
    repositories: [{ type: 'model', id: 'acme/bert', ...entry }],
  }
}

async function withNamespace() {
  const directory = await openDirectory()
  await directory.done('namespace create', { name: 'acme' })
  const refs = async () => {
    const { items } = await directory.done('ref list', { repository })
    return (items as { name: string; commit: string }[]).map(({ name, commit }) => [name, commit])
  }
  return { ...directory, refs }
}

describe.each(zeros)('%s is no commit', (none) => {
  test('for a ref', async () => {
    const { run, done, refs } = await withNamespace()
    await done('repo create', { repository })
    const refused = await run('ref set', { repository, ref: 'main', commit: none })
    expect(refused).toMatchObject({ code: 'bad_request', path: 'commit' })
    expect(await refs()).toEqual([['refs/heads/main', noCommit]])
  })

  test('to record', async () => {
    const { run, done } = await withNamespace()
    await done('repo create', { repository })
    expect(await run('commit record', { repository, hash: none, on: ['main'] })).toMatchObject({
      code: 'bad_request',
      path: 'hash',
    })
    expect(await run('commit list', { repository })).toMatchObject({ total: 0 })
  })

  test.each([
    ['branches', { branches: { main: none } }, 'branches.main'],
    ['branches', { branches: { main: { commit: none } } }, 'branches.main.commit'],
    ['tags', { tags: { v1: none } }, 'tags.v1'],
    ['refs', { refs: { 'refs/pr/1': none } }, 'refs["refs/pr/1"]'],
    ['commits', { commits: { [none]: [] } }, `commits["${none}"]`],
  ])('in a file, among its %s', async (_, entry, path) => {
    const { apply } = await openDirectory()
    const refused = await apply(fileWith(entry))
    expect(refused).toMatchObject({ code: 'bad_request', path: `repositories[0].${path}` })
  })

  test('and no name of a ref', async () => {
    const { run, done } = await withNamespace()
    await done('repo create', { repository })
    for (const ref of [none, `refs/heads/${none}`, `refs/tags/${none}`]) {
      expect(await run('ref set', { repository, ref, commit: hash(1) })).toMatchObject({
        code: 'bad_request',
        path: 'ref',
      })
    }
  })
})

test('a tag has a commit', async () => {
  const { apply } = await openDirectory()
  for (const tag of [null, {}]) {
    const refused = await apply(fileWith({ tags: { v1: tag } }))
    expect(refused).toMatchObject({ code: 'bad_request', path: 'repositories[0].tags.v1' })
  }
})

test('a new repository has its default branch, and nothing is on record', async () => {
  const { run, done, refs } = await withNamespace()
  await done('repo create', { repository, defaultBranch: 'trunk' })
  expect(await refs()).toEqual([['refs/heads/trunk', noCommit]])
  expect(await run('commit list', { repository })).toMatchObject({ total: 0 })
})

test('the first commit keeps the uid of the branch', async () => {
  const { run, done } = await withNamespace()
  await done('repo create', { repository })
  const { uid } = await run('ref show', { repository, ref: 'main' })
  expect(await run('ref set', { repository, ref: 'main', commit: hash(1) })).toMatchObject({
    uid,
    commit: hash(1),
  })
  expect(await run('commit list', { repository })).toMatchObject({
    items: [{ hash: hash(1), on: ['main'] }],
  })
})

test('a branch without a commit can hold a recorded one', async () => {
  const { run, done } = await withNamespace()
  await done('repo create', { repository })
  const recorded = await run('commit record', { repository, hash: hash(1), on: ['main'] })
  expect(recorded).toMatchObject({ on: ['main'] })
})

describe('another default branch', () => {
  test('is made where there is none, and only then', async () => {
    const { done, refs } = await withNamespace()
    await done('repo create', { repository })
    await done('ref set', { repository, ref: 'main', commit: hash(1) })
    await done('repo set', { repository, defaultBranch: 'trunk' })
    await done('repo set', { repository, defaultBranch: 'main' })
    expect(await refs()).toEqual([
      ['refs/heads/main', hash(1)],
      ['refs/heads/trunk', noCommit],
    ])
  })

  test('cannot have the name of a tag', async () => {
    const { run, done } = await withNamespace()
    await done('repo create', { repository })
    await done('ref set', { repository, ref: 'refs/tags/v1', commit: hash(1) })
    expect(await run('repo set', { repository, defaultBranch: 'v1' })).toMatchObject({
      code: 'conflict',
    })
    expect(await run('repo show', { repository })).toMatchObject({ defaultBranch: 'main' })
  })
})

describe('in a directory file', () => {
  const trunk = ['refs/heads/trunk', noCommit]
  const main = ['refs/heads/main', noCommit]

  test.each([
    ['without branches', {}, [main]],
    ['with another default branch', { defaultBranch: 'trunk' }, [trunk]],
    ['with null', { branches: { main: null } }, [main]],
    ['with an empty object', { branches: { main: {} } }, [main]],
    ['with null as commit', { branches: { main: { commit: null } } }, [main]],
    [
      'with a branch made from it',
      { branches: { main: null, dev: { from: 'main' } } },
      [['refs/heads/dev', noCommit], main],
    ],
    [
      'with branches that do not have it',
      { branches: { dev: hash(1) } },
      [['refs/heads/dev', hash(1)]],
    ],
    ['with no branches at all', { branches: {} }, []],
  ])('a repository %s', async (_, entry, expected) => {
    const { apply, refs, run } = await withNamespace()
    expect(await apply(fileWith(entry))).not.toHaveProperty('code')
    expect(await refs()).toEqual(expected)
    expect(await apply(fileWith(entry))).toMatchObject({ changes: [] })
    const recorded = expected.filter(([, commit]) => commit !== noCommit).length
    expect(await run('commit list', { repository })).toMatchObject({ total: recorded })
  })

  test('a branch without a commit leaves the stored one where it is', async () => {
    const { apply, done, refs } = await withNamespace()
    const file = fileWith({ branches: { main: null } })
    await apply(file)
    await done('ref set', { repository, ref: 'main', commit: hash(1) })
    expect(await apply(file)).toMatchObject({ changes: [] })
    expect(await refs()).toEqual([['refs/heads/main', hash(1)]])
  })

  test('a default branch that is named is made again, one that is not named is not', async () => {
    const { apply, done, refs } = await withNamespace()
    await apply(fileWith({}))
    await done('ref delete', { repository, ref: 'main' })
    await apply(fileWith({}))
    expect(await refs()).toEqual([])
    expect(await apply(fileWith({ defaultBranch: 'main' }))).toMatchObject({
      changes: [{ what: 'ref', did: 'created', name: `${repository}@refs/heads/main` }],
    })
    expect(await refs()).toEqual([main])
  })

  test('a branch made from one that the file moves has the new commit', async () => {
    const { apply, refs } = await withNamespace()
    await apply(fileWith({ branches: { main: hash(1) } }))
    await apply(fileWith({ branches: { main: hash(2), dev: { from: 'main' } } }))
    expect(await refs()).toEqual([
      ['refs/heads/dev', hash(2)],
      ['refs/heads/main', hash(2)],
    ])
  })
})
