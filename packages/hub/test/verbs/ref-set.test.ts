/** One verb makes a ref or moves it, and only from the commit that the caller expects. */

import { noCommit } from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import { hash, openDirectory } from './open-directory.ts'

const repository = 'models/acme/bert'
const zeros = ['0'.repeat(40), '0'.repeat(64)]

async function withRepository() {
  const directory = await openDirectory()
  await directory.done('namespace create', { name: 'acme' })
  await directory.done('repo create', { repository })
  const set = (ref: string, wish: object = {}) =>
    directory.run('ref set', { repository, ref, ...wish })
  return { ...directory, set }
}

describe('a ref that is not at the expected commit stays', () => {
  const refusal = { code: 'conflict', path: 'expect' }

  test('where it is', async () => {
    const { set, run } = await withRepository()
    await set('main', { commit: hash(1) })
    for (const expected of [hash(2), ...zeros]) {
      expect(await set('main', { commit: hash(3), expect: expected })).toMatchObject(refusal)
    }
    expect(await run('ref show', { repository, ref: 'main' })).toMatchObject({ commit: hash(1) })
    expect(await run('commit list', { repository })).toMatchObject({ total: 1 })
  })

  test('absent', async () => {
    const { set, run } = await withRepository()
    expect(await set('dev', { commit: hash(1), expect: hash(1) })).toMatchObject(refusal)
    expect(await run('ref list', { repository })).toMatchObject({ total: 1 })
  })

  test('without a commit', async () => {
    const { set } = await withRepository()
    expect(await set('main', { commit: hash(1), expect: hash(1) })).toMatchObject({
      ...refusal,
      detail: expect.stringContaining('no commit yet'),
    })
  })
})

test.each(zeros)('a ref that does not exist, or has no commit, is expected as %s', async (none) => {
  const { set } = await withRepository()
  expect(await set('main', { commit: hash(1), expect: none })).toMatchObject({ commit: hash(1) })
  expect(await set('dev', { commit: hash(1), expect: none })).toMatchObject({ commit: hash(1) })
})

test('a ref at the expected commit moves, with its uid', async () => {
  const { set } = await withRepository()
  const { uid } = await set('main', { commit: hash(1) })
  const moved = await set('main', { commit: hash(2), expect: hash(1).toUpperCase() })
  expect(moved).toMatchObject({ uid, commit: hash(2) })
})

test('without a commit a ref that exists stays where it is', async () => {
  const { set } = await withRepository()
  const first = await set('main', { commit: hash(1) })
  expect(await set('main')).toEqual(first)
})

test('where a ref was made from may be repeated', async () => {
  const { set } = await withRepository()
  await set('main', { commit: hash(1) })
  const first = await set('dev', { from: 'main' })
  await set('main', { commit: hash(2) })
  expect(await set('dev', { from: 'main' })).toEqual(first)
  expect(first).toMatchObject({ from: 'main', commit: hash(1) })
})

test('a branch made from one without a commit has none either, and its origin', async () => {
  const { set, run } = await withRepository()
  expect(await set('dev', { from: 'main' })).toMatchObject({ from: 'main', commit: noCommit })
  expect(await run('commit list', { repository })).toMatchObject({ total: 0 })
})
