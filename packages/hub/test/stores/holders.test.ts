/** Which refs hold a commit, in which order, and what they came from, as the store finds it. */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { asAccountId, parseRepoRef, parseRevision } from '@latchkey/protocol'
import { systemClock } from '@latchkey/service/machine/time'
import { commit } from '@latchkey/testing/hub/hub-settings'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { describe, expect, onTestFinished, test } from 'vitest'
import { repositoryFinder } from '../../src/access/find-repository.ts'
import type { Holder, RepositoryFacts } from '../../src/permission/access-facts.ts'
import { openSqliteStore } from '../../src/stores/sqlite/open-store.ts'
import type { Store } from '../../src/stores/store.ts'

interface Ref {
  readonly name: string
  readonly from?: string
  readonly forkedNumber?: number
}

interface Held {
  readonly ref: string
  readonly at: number
}

const hash = commit('c')

describe('the refs that hold a commit', () => {
  test('come in the order: first to record it, default branch, then the oldest', async () => {
    const refs = ['old', 'main', 'young', 'middle'].map((name) => ({ name }))
    const held = ['young', 'middle', 'main', 'old'].map((ref, index) => ({ ref, at: 100 + index }))
    const { holders } = await refOf(storeWith(refs, held), hash)
    expect(names(holders)).toEqual(['young', 'main', 'old', 'middle'])
  })

  test('begin with the default branch only where that recorded it first', async () => {
    const refs = ['main', 'other'].map((name) => ({ name }))
    const first = [
      { ref: 'main', at: 5 },
      { ref: 'other', at: 5 },
    ]
    expect(names((await refOf(storeWith(refs, first), hash)).holders)).toEqual(['main', 'other'])
    const second = [...first].reverse()
    expect(names((await refOf(storeWith(refs, second), hash)).holders)).toEqual(['other', 'main'])
  })

  test('carry the number under which each recorded it', async () => {
    const held = [
      { ref: 'main', at: 7 },
      { ref: 'other', at: 9 },
    ]
    const store = storeWith([{ name: 'main' }, { name: 'other' }], held)
    const { holders } = await refOf(store, hash)
    expect(holders.map(({ recordedNumber }) => recordedNumber)).toEqual([7, 9])
  })

  test('carry their own line, never beyond the number of the record', async () => {
    const refs = [{ name: 'main' }, { name: 'dev', from: 'main', forkedNumber: 50 }]
    const early = await refOf(storeWith(refs, [{ ref: 'dev', at: 20 }]), hash)
    expect(early.holders[0]?.ancestry).toEqual([{ uid: 'uid-main', before: 20 }])
    const late = await refOf(storeWith(refs, [{ ref: 'dev', at: 80 }]), hash)
    expect(late.holders[0]?.ancestry).toEqual([{ uid: 'uid-main', before: 50 }])
  })
})

test('a fork without a number, or a commit under number 0, shows nothing', async () => {
  const refs = [{ name: 'main' }, { name: 'dev', from: 'main' }]
  const store = storeWith(refs, [{ ref: 'dev', at: 0 }])
  expect((await refOf(store, 'dev')).ancestry).toEqual([{ uid: 'uid-main', before: 0 }])
  const { holders } = await refOf(store, hash)
  expect(holders).toMatchObject([{ recordedNumber: 0, ancestry: [{ before: 0 }] }])
})

describe('a chain of forks', () => {
  test('is found nearest first, each ending at the earliest fork on the way', async () => {
    const refs = [
      { name: 'main' },
      { name: 'a', from: 'main', forkedNumber: 10 },
      { name: 'b', from: 'a', forkedNumber: 30 },
      { name: 'c', from: 'b', forkedNumber: 20 },
    ]
    const { ancestry, holders } = await refOf(storeWith(refs, []), 'c')
    expect(holders).toEqual([])
    expect(ancestry).toEqual([
      { uid: 'uid-b', before: 20 },
      { uid: 'uid-a', before: 20 },
      { uid: 'uid-main', before: 10 },
    ])
  })

  test('of twenty is cut after the eight nearest', async () => {
    const refs = Array.from({ length: 20 }, (_, n) => ({
      name: `n${n}`,
      ...(n === 0 ? {} : { from: `n${n - 1}`, forkedNumber: n }),
    }))
    const { ancestry } = await refOf(storeWith(refs, []), 'n19')
    expect(ancestry.map(({ uid }) => uid)).toEqual(
      [18, 17, 16, 15, 14, 13, 12, 11].map((n) => `uid-n${n}`),
    )
  })

  test('that leads back to itself ends', async () => {
    const refs = [
      { name: 'a', from: 'b', forkedNumber: 1 },
      { name: 'b', from: 'a', forkedNumber: 2 },
    ]
    expect((await refOf(storeWith(refs, []), 'a')).ancestry.length).toBeLessThanOrEqual(8)
  })
})

test('ten thousand holders of one commit are found in seconds', async () => {
  const many = Array.from({ length: 10_000 }, (_, n) => `branch-${n}`)
  const refs = [{ name: 'main' }, ...many.map((name) => ({ name, from: 'main', forkedNumber: 1 }))]
  const store = storeWith(
    refs,
    many.map((ref, at) => ({ ref, at })),
  )
  const started = performance.now()
  const { holders } = await refOf(store, hash)
  const took = performance.now() - started
  expect(holders).toHaveLength(10_000)
  expect(holders[0]?.name).toBe('refs/heads/branch-0')
  expect(took).toBeLessThan(20_000)
})

function names(holders: readonly Holder[]): string[] {
  return holders.map(({ name }) => name.replace('refs/heads/', ''))
}

async function refOf(store: Store, revision: string) {
  const repo = parseRepoRef('models/acme/bert')
  if (repo === undefined) throw new Error('no repository can have this name')
  const found = await repositoryFinder(store.access, systemClock)(
    asAccountId('reader'),
    repo,
    parseRevision(revision),
  )
  return present(found)
}

function present(found: RepositoryFacts | undefined) {
  if (found?.ref === undefined) throw new Error('the revision was not found')
  return found.ref
}

/** Written by hand, so that orders and numbers can be chosen freely. */
function storeWith(refs: readonly Ref[], held: readonly Held[]): Store {
  const file = join(temporaryFolder(), 'hub.db')
  const store = openSqliteStore(file)
  onTestFinished(() => store.close())
  const database = new DatabaseSync(file)
  database.exec(`
    PRAGMA foreign_keys = OFF;
    BEGIN;
    INSERT INTO namespaces VALUES ('n', 'acme', 1, NULL, NULL);
    INSERT INTO repositories VALUES ('r', 'n', 'models/acme/bert', 'public', 'refs/heads/main', '[]', 1, 0, 'default', NULL, NULL, NULL);
    INSERT INTO commits VALUES ('c', 'r', '${hash}', 1);`)
  const insertRef = database.prepare(
    `INSERT INTO refs (uid, repository_uid, name, commit_hash, from_uid, forked_number, created_at)
     VALUES (?, 'r', ?, '${hash}', ?, ?, 1)`,
  )
  for (const { name, from, forkedNumber } of refs) {
    const origin = from === undefined ? null : `uid-${from}`
    insertRef.run(`uid-${name}`, `refs/heads/${name}`, origin, forkedNumber ?? null)
  }
  const insertHolder = database.prepare(
    `INSERT INTO commit_holders (repository_uid, hash, ref_uid, recorded_at, recorded_number)
     VALUES ('r', '${hash}', ?, 1, ?)`,
  )
  for (const { ref, at } of held) insertHolder.run(`uid-${ref}`, at)
  database.exec('COMMIT')
  database.close()
  return store
}
