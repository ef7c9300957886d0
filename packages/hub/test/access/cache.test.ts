/** The store is asked once for each answer, and again after every change of its version. */

import { parseRevision } from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import { type Access, accessOf } from '../../src/access/find-access.ts'
import { versionPerTurn } from '../../src/access/watch-version.ts'
import type { WantedRevision } from '../../src/permission/access-facts.ts'
import {
  fakeStore,
  first,
  heldBy,
  nextTurn,
  now,
  record,
  repo,
  repository,
  second,
} from './fake-store.ts'

const bert = 'bert for account: {"tag":"refs/tags/main","moving":"refs/heads/main"}'

interface Asked {
  readonly name?: string
  readonly revision?: WantedRevision
  readonly hash?: string
}

function find({ findAccess }: Access, { name = 'bert', revision, hash = 'hash' }: Asked = {}) {
  const wanted = revision ?? parseRevision('main')
  return findAccess({
    now,
    hubTokenHash: hash,
    repo: repo(`models/acme/${name}`),
    revision: wanted,
  })
}

function opened() {
  const store = fakeStore()
  return { store, access: accessOf(versionPerTurn(store).access) }
}

describe('an answer is asked for once', () => {
  test('for the caller, the repository and the prefixes', async () => {
    const { store, access } = opened()
    const found = await find(access)
    await access.knownPrefixes()
    expect(store.asked()).toEqual(['caller hash', bert, 'prefixes'])
    await nextTurn()
    expect(await find(access)).toEqual({ ...found, isCached: true })
    expect(await access.knownPrefixes()).toEqual(new Set(['lk_']))
    expect(store.asked()).toEqual([])
  })

  test('and then given without waiting for anything', async () => {
    const { access } = opened()
    await find(access)
    await access.knownPrefixes()
    await nextTurn()
    expect(access.knownPrefixes()).toBeInstanceOf(Set)
    const order: string[] = []
    const found = find(access).then(() => order.push('found'))
    await Promise.resolve().then(() => order.push('next microtask'))
    await found
    expect(order).toEqual(['found', 'next microtask'])
  })

  test.each(['hidden', 'absent'] as const)('also for a repository that is %s', async (outcome) => {
    const { store, access } = opened()
    store.answers.repository = outcome
    const found = await find(access)
    expect(store.asked()).toEqual(['caller hash', bert])
    expect(await find(access)).toEqual({ ...found, isCached: true })
    expect(store.asked()).toEqual([])
  })

  test('also for a hub token that nobody has', async () => {
    const { store, access } = opened()
    delete store.answers.caller
    for (const _ of [1, 2]) {
      expect(await find(access)).toMatchObject({ caller: undefined, repository: undefined })
    }
    expect(store.asked()).toEqual(['caller hash'])
  })

  test('for each repository, revision and hub token', async () => {
    const { store, access } = opened()
    const questions = [{}, { name: 'other' }, { revision: parseRevision('v1') }, { hash: 'second' }]
    for (const question of [...questions, ...questions]) await find(access, question)
    const v1 = 'bert for account: {"tag":"refs/tags/v1","moving":"refs/heads/v1"}'
    const other = bert.replace('bert', 'other')
    expect(store.asked()).toEqual(['caller hash', bert, other, v1, 'caller second'])
  })

  test('for the default branch apart from branches that are called like a kind of revision', async () => {
    const { store, access } = opened()
    const kinds = ['default', 'impossible', 'undefined'].map(parseRevision)
    for (const revision of [{ kind: 'default' } as const, parseRevision('a..b'), ...kinds]) {
      await find(access, { revision })
    }
    expect(store.asked()).toHaveLength(1 + 5)
  })

  test('for the default branch, and once for all revisions that cannot exist', async () => {
    const { store, access } = opened()
    const impossible = ['a..b', 'x'.repeat(900), 'HEAD'].map(parseRevision)
    for (const revision of [{ kind: 'default' } as const, ...impossible]) {
      await find(access, { revision })
    }
    expect(store.asked()).toEqual([
      'caller hash',
      'bert for account: {"moving":"default branch"}',
      'bert for account: {}',
    ])
  })
})

describe('the version of the store', () => {
  test('empties the caches when it has moved', async () => {
    const { store, access } = opened()
    await find(access)
    await access.knownPrefixes()
    store.asked()
    store.answers = { version: second, caller: { ...record, kind: 'read' }, repository: 'absent' }
    await nextTurn()
    const found = await find(access)
    await access.knownPrefixes()
    expect(found).toMatchObject({ caller: { ...record, kind: 'read' }, repository: undefined })
    expect(store.asked()).toEqual(['caller hash', bert, 'prefixes'])
  })

  test('has moved where only its mark is another one', async () => {
    const { store, access } = opened()
    await find(access)
    store.asked()
    store.answers = { version: { ...first, mark: 9 }, repository: 'absent' }
    await nextTurn()
    expect(await find(access)).toMatchObject({ caller: undefined, repository: undefined })
    expect(store.asked()).toEqual(['caller hash'])
  })

  test('empties nothing while it stays, whatever else was written', async () => {
    const { store, access } = opened()
    await find(access)
    store.asked()
    for (const _ of Array.from({ length: 10 })) {
      await nextTurn()
      await find(access)
    }
    expect(store.versions).toBe(11)
    expect(store.asked()).toEqual([])
  })

  test('is asked for once per turn of the event loop', async () => {
    const { store, access } = opened()
    await Promise.all([find(access), find(access), access.knownPrefixes()])
    expect(store.versions).toBe(1)
    await nextTurn()
    await find(access)
    expect(store.versions).toBe(2)
  })

  test('that cannot be read fails the request, and the next one asks again', async () => {
    const { store, access } = opened()
    await find(access)
    await nextTurn()
    store.isAway = true
    await expect(find(access)).rejects.toThrow('no database')
    store.isAway = false
    await nextTurn()
    expect(await find(access)).toMatchObject({ caller: record })
  })
})

describe('an answer that was asked for before a change', () => {
  test('is not kept when it comes after it', async () => {
    const { store, access } = opened()
    let release = () => {}
    store.held = new Promise((resolve) => {
      release = resolve
    })
    const before = find(access)
    await nextTurn()
    store.answers = { version: second, caller: { ...record, revokedAt: now }, repository }
    const prefixes = access.knownPrefixes()
    release()
    expect((await before).caller).toEqual(record)
    await prefixes
    store.asked()
    expect((await find(access)).caller).toEqual({ ...record, revokedAt: now })
    expect(store.asked()).toEqual(['caller hash'])
  })

  test('is not kept either when an older version is told after a newer one', async () => {
    const { store, access } = opened()
    let release = () => {}
    store.held = new Promise((resolve) => {
      release = resolve
    })
    const before = find(access)
    for (const version of [second, first]) {
      await nextTurn()
      store.answers = { version, caller: { ...record, revokedAt: now }, repository }
      void access.knownPrefixes()
    }
    release()
    await before
    expect((await find(access)).caller).toEqual({ ...record, revokedAt: now })
  })
})

test('answers with many holders take more room, so that fewer of them are kept', async () => {
  const { store, access } = opened()
  store.answers.repository = heldBy(100_000)
  for (const name of ['one', 'two', 'three']) await find(access, { name })
  store.asked()
  await find(access, { name: 'three' })
  await find(access, { name: 'two' })
  expect(store.asked()).toEqual([])
  await find(access, { name: 'one' })
  expect(store.asked()).toHaveLength(1)
})
