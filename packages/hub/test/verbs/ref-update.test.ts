/** A push is one change: every ref of it as the push has left it, or none. */

import { noCommit } from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import { maxRefs } from '../../src/verbs/ref-rows.ts'
import { hash, openDirectory } from './open-directory.ts'

const repository = 'models/acme/bert'
const none = '0'.repeat(64)

type Line = readonly [ref: string, old: string, next: string]

async function withRefs() {
  const directory = await openDirectory()
  await directory.apply({
    namespaces: [{ name: 'acme' }],
    repositories: [
      {
        type: 'model',
        id: 'acme/bert',
        branches: { main: hash(1), dev: hash(2), empty: null },
        tags: { v1: hash(1) },
      },
    ],
  })
  const push = (lines: readonly Line[], force = false) =>
    directory.run('ref update', {
      repository,
      updates: lines.map(([ref, old, next]) => ({ ref, old, new: next })),
      force,
    })
  const refs = async () => {
    const { items } = await directory.done('ref list', { repository })
    const all = items as { name: string; commit: string; uid: string }[]
    return Object.fromEntries(all.map(({ name, commit, uid }) => [name, { commit, uid }]))
  }
  return { ...directory, push, refs }
}

const good: Line = ['refs/heads/dev', hash(2), hash(3)]

describe('nothing is done when one ref', () => {
  test.each<[string, Line, object]>([
    ['is somewhere else', ['refs/heads/main', hash(9), hash(3)], { path: 'updates[1].old' }],
    ['is there already', ['refs/heads/main', none, hash(3)], { path: 'updates[1].old' }],
    ['is not there', ['refs/heads/absent', hash(9), hash(3)], { path: 'updates[1].old' }],
    ['that is not there is deleted', ['refs/heads/x', hash(9), none], { path: 'updates[1].old' }],
    ['is named twice', ['refs/heads/dev', hash(2), hash(4)], { path: 'updates[1].ref' }],
    ['has zeros twice', ['refs/heads/empty', none, none], { path: 'updates[1]' }],
    ['is no full name', ['main', hash(1), hash(3)], { path: 'updates[1].ref' }],
    ['has no full hash', ['refs/heads/main', 'abc', hash(3)], { path: 'updates[1].old' }],
  ])('%s', async (_, line, refusal) => {
    const { push, refs } = await withRefs()
    const before = await refs()
    const told = await push([good, line])
    expect(told).toMatchObject(refusal)
    expect(['conflict', 'bad_request']).toContain(told['code'])
    expect(await refs()).toEqual(before)
  })

  // That one more is refused, ./refs.test.ts shows always.
  test('is one too many', { tags: 'soak', timeout: 60_000 }, async () => {
    const { push, run } = await withRefs()
    const total = async () => (await run('ref list', { repository }))['total']
    const lines = (count: number) =>
      Array.from({ length: count }, (_, index): Line => [`refs/heads/b${index}`, none, hash(1)])
    expect(await push([...lines(maxRefs - 3)])).toMatchObject({ code: 'conflict' })
    expect(await total()).toBe(4)
    expect(await push(lines(maxRefs - 4))).not.toHaveProperty('code')
    expect(await total()).toBe(maxRefs)
  })
})

test('refs are made, moved and deleted together, and branches keep their uids', async () => {
  const { push, refs, run } = await withRefs()
  const before = await refs()
  const told = await push([
    ['refs/heads/main', hash(1), hash(4)],
    ['refs/heads/dev', hash(2), none],
    ['refs/heads/empty', noCommit, hash(4)],
    ['refs/tags/v1', hash(1), hash(4)],
    ['refs/pr/1', noCommit, hash(5)],
  ])
  expect(told).toEqual({
    changes: [
      ['refs/heads/dev', 'deleted'],
      ['refs/heads/main', 'changed'],
      ['refs/heads/empty', 'changed'],
      ['refs/tags/v1', 'changed'],
      ['refs/pr/1', 'created'],
    ].map(([ref, did]) => ({ what: 'ref', name: `${repository}@${ref}`, did })),
    ignored: [],
  })
  const after = await refs()
  expect(Object.entries(after).map(([name, { commit }]) => [name, commit])).toEqual([
    ['refs/heads/empty', hash(4)],
    ['refs/heads/main', hash(4)],
    ['refs/pr/1', hash(5)],
    ['refs/tags/v1', hash(4)],
  ])
  const isSame = (name: string) => after[name]?.uid === before[name]?.uid
  expect(['refs/heads/main', 'refs/heads/empty', 'refs/tags/v1'].map(isSame)).toEqual([
    true,
    true,
    false,
  ])
  const { items } = await run('commit list', { repository })
  expect(items).toMatchObject([
    { hash: hash(1), on: ['main'] },
    { hash: hash(2), on: [] },
    { hash: hash(4), on: ['main', 'empty'] },
    { hash: hash(5), on: ['refs/pr/1'] },
  ])
})

test('a push that lost a ref raises the epoch of the repository once', async () => {
  const { push, done } = await withRefs()
  const { last } = await done('changes')
  await push([
    ['refs/heads/dev', hash(2), none],
    ['refs/tags/v1', hash(1), none],
  ])
  const { items } = await done('changes', { after: String(last) })
  expect((items as { thing: string }[]).map(({ thing }) => thing)).toEqual([
    'ref',
    'ref',
    'repository',
  ])
})

test('a name may go from a tag to a branch within one push', async () => {
  const { push, refs } = await withRefs()
  const told = await push([
    ['refs/heads/v1', none, hash(1)],
    ['refs/tags/v1', hash(1), none],
  ])
  expect(told).not.toHaveProperty('code')
  expect(Object.keys(await refs())).toContain('refs/heads/v1')
})

test('of a branch and a tag of one name the ref that is there stays, and of two new ones the tag', async () => {
  const { push, refs } = await withRefs()
  const told = await push([
    ['refs/heads/v1', none, hash(1)],
    ['refs/tags/main', none, hash(1)],
    ['refs/heads/v2', none, hash(1)],
    ['refs/tags/v2', none, hash(1)],
    good,
  ])
  expect(told).toMatchObject({ ignored: ['refs/heads/v1', 'refs/tags/main', 'refs/heads/v2'] })
  const names = Object.keys(await refs())
  expect(names).toEqual(expect.arrayContaining(['refs/heads/main', 'refs/tags/v1', 'refs/tags/v2']))
  expect(names).not.toEqual(expect.arrayContaining(['refs/heads/v2']))
  expect(await refs()).toMatchObject({ 'refs/heads/dev': { commit: hash(3) } })
})

test('names that no ref can have are told, and the others are done', async () => {
  const { push, refs } = await withRefs()
  const odd = [
    'refs/stash',
    'refs/heads/HEAD',
    `refs/heads/${hash(1)}`,
    `refs/heads/${'x'.repeat(300)}`,
  ]
  const told = await push([good, ...odd.map((ref): Line => [ref, none, hash(1)])])
  expect(told).toMatchObject({ ignored: odd })
  expect(await refs()).toMatchObject({ 'refs/heads/dev': { commit: hash(3) } })
  expect(Object.keys(await refs())).toHaveLength(4)
})

test('a push that is told again changes nothing by force, and is refused without', async () => {
  const { push } = await withRefs()
  await push([good])
  expect(await push([good])).toMatchObject({ code: 'conflict' })
  expect(await push([good], true)).toEqual({ changes: [], ignored: [] })
})

test('by force refs are set whatever commits they have', async () => {
  const { push, refs } = await withRefs()
  const told = await push(
    [
      ['refs/heads/main', hash(9), hash(3)],
      ['refs/heads/dev', none, none],
      ['refs/heads/absent', none, none],
      ['refs/heads/new', hash(9), hash(3)],
    ],
    true,
  )
  expect(told).not.toHaveProperty('code')
  const after = await refs()
  expect(Object.keys(after)).not.toContain('refs/heads/dev')
  expect(after['refs/heads/main']?.commit).toBe(hash(3))
  expect(after['refs/heads/new']?.commit).toBe(hash(3))
})

test('a repository that does not exist is refused', async () => {
  const { run } = await withRefs()
  const asked = { repository: 'models/acme/absent', updates: [] }
  expect(await run('ref update', asked)).toMatchObject({ code: 'resource_not_found' })
})
