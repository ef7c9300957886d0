/** What the store is not asked for again, until its version changes: a caller, and a repository that came twice. */

import { parseRevision } from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import { type Access, accessOf } from '../../src/access/find-access.ts'
import { versionPerTurn } from '../../src/access/watch-version.ts'
import { invalidHubToken } from '../../src/identity/identify-caller.ts'
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

/** So many that two such answers are kept. Most are deleted: facts of those are made in a tenth of the time. */
const heldByMany = heldBy(10_000, 90_000)
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

/** So often that its answers are kept. */
async function findTwice(access: Access, asked?: Asked) {
  await find(access, asked)
  return find(access, asked)
}

function opened() {
  const store = fakeStore()
  return { store, access: accessOf(versionPerTurn(store).access) }
}

describe('an answer is kept', () => {
  test('for the caller and the prefixes at once, for the repository when it is asked for again', async () => {
    const { store, access } = opened()
    const found = await find(access)
    await access.knownPrefixes()
    expect(store.asked()).toEqual(['caller hash', bert, 'prefixes'])
    expect(found.isRecurring).toBe(false)
    for (const asked of [[bert], [], []]) {
      await nextTurn()
      expect(await find(access)).toEqual({ ...found, isRecurring: true })
      expect(store.asked()).toEqual(asked)
    }
    expect(await access.knownPrefixes()).toEqual(new Set(['lk_']))
    expect(store.asked()).toEqual([])
  })

  test('and then given without waiting for anything', async () => {
    const { access } = opened()
    await findTwice(access)
    await access.knownPrefixes()
    await nextTurn()
    expect(access.knownPrefixes()).toBeInstanceOf(Set)
    expect(find(access)).not.toBeInstanceOf(Promise)
  })

  test.each(['hidden', 'absent'] as const)('also for a repository that is %s', async (outcome) => {
    const { store, access } = opened()
    store.answers.repository = outcome
    const found = await findTwice(access)
    expect(store.asked()).toEqual(['caller hash', bert, bert])
    expect(await find(access)).toEqual(found)
    expect(store.asked()).toEqual([])
  })

  test('also for a hub token that nobody has', async () => {
    const { store, access } = opened()
    delete store.answers.caller
    for (const _ of [1, 2]) {
      expect(await find(access)).toMatchObject({ caller: invalidHubToken(), repository: undefined })
    }
    expect(store.asked()).toEqual(['caller hash'])
  })

  test('for each repository, revision and hub token', async () => {
    const { store, access } = opened()
    const questions = [{}, { name: 'other' }, { revision: parseRevision('v1') }, { hash: 'second' }]
    for (const question of [...questions, ...questions]) await findTwice(access, question)
    const v1 = 'bert for account: {"tag":"refs/tags/v1","moving":"refs/heads/v1"}'
    const other = bert.replace('bert', 'other')
    expect(store.asked()).toEqual([
      ...['caller hash', bert, bert, other, other, v1, v1],
      'caller second',
    ])
  })

  test('for the default branch apart from branches that are called like a kind of revision', async () => {
    const { store, access } = opened()
    const kinds = ['default', 'impossible', 'undefined'].map(parseRevision)
    for (const revision of [{ kind: 'default' } as const, parseRevision('a..b'), ...kinds]) {
      await findTwice(access, { revision })
    }
    expect(store.asked()).toHaveLength(1 + 5 * 2)
  })

  test('for the default branch, and once for all revisions that cannot exist', async () => {
    const { store, access } = opened()
    const impossible = ['a..b', 'x'.repeat(900), 'HEAD'].map(parseRevision)
    for (const revision of [{ kind: 'default' } as const, ...impossible]) {
      await findTwice(access, { revision })
    }
    const byDefault = 'bert for account: {"moving":"default branch"}'
    const none = 'bert for account: {}'
    expect(store.asked()).toEqual(['caller hash', byDefault, byDefault, none, none])
  })

  test('not for repositories that are asked for once, which push out none of the others', async () => {
    const { store, access } = opened()
    store.answers.repository = heldByMany
    await findTwice(access)
    for (const name of ['one', 'two', 'three']) await find(access, { name })
    store.asked()
    await find(access)
    expect(store.asked()).toEqual([])
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

  test('empties no memory of what came: after a change, a repository is kept at once', async () => {
    const { store, access } = opened()
    await find(access)
    store.answers = { ...store.answers, version: second }
    await nextTurn()
    await find(access)
    store.asked()
    await find(access)
    expect(store.asked()).toEqual([])
  })

  test('has moved where only its mark is another one', async () => {
    const { store, access } = opened()
    await find(access)
    store.asked()
    store.answers = { version: { ...first, mark: 9 }, repository: 'absent' }
    await nextTurn()
    expect(await find(access)).toMatchObject({ caller: invalidHubToken(), repository: undefined })
    expect(store.asked()).toEqual(['caller hash'])
  })

  test('empties nothing while it stays, whatever else was written', async () => {
    const { store, access } = opened()
    await findTwice(access)
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
    expect(() => find(access)).toThrow('no database')
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
    expect((await find(access)).refusedCaller).toEqual({ ...record, revokedAt: now })
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
    expect((await find(access)).refusedCaller).toEqual({ ...record, revokedAt: now })
  })
})

test('answers with many holders take more room, so that fewer of them are kept', async () => {
  const { store, access } = opened()
  store.answers.repository = heldByMany
  for (const name of ['one', 'two', 'three']) await findTwice(access, { name })
  store.asked()
  await find(access, { name: 'three' })
  await find(access, { name: 'two' })
  expect(store.asked()).toEqual([])
  await find(access, { name: 'one' })
  expect(store.asked()).toHaveLength(1)
})
