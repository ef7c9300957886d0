/** What a request finds is never older than the number of the journal that it names. */

import { isRefusal, parseRevision } from '@latchkey/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AccessStore } from '../../src/access/access-store.ts'
import { accessOf } from '../../src/access/find-access.ts'
import type { AccessFacts } from '../../src/access/look-up.ts'
import { nextTurn, now, record, repo, repository, versionOf } from './fake-store.ts'

/** Every row of this store says after which entry of the journal it was read. */
interface ChangingStore extends AccessStore {
  head: number
  /** Waits before or after the snapshot of an answer, as a slow database would. */
  pause: (() => Promise<void>) | undefined
}

function changingStore(): ChangingStore {
  const atHead = async <Row>(row: (head: number) => Row): Promise<Row> => {
    await store.pause?.()
    const read = row(store.head)
    await store.pause?.()
    return read
  }
  const store: ChangingStore = {
    isExact: true,
    isFresh: () => true,
    untilBack: (work) => work(),
    head: 1,
    pause: undefined,
    version: () => versionOf(store.head),
    async find({ viewerOf }) {
      const caller = await atHead((head) => ({ ...record, accountName: `${head}` }))
      const viewer = viewerOf(caller)
      const found = viewer && (await atHead((head) => ({ ...repository, epoch: head })))
      return { caller, repository: found }
    },
    findPrefixes: () => atHead(() => new Set(['lk_'])),
  }
  return store
}

const question = {
  now,
  hubTokenHash: 'hash',
  repo: repo('models/acme/bert'),
  revision: parseRevision('main'),
}

function readAt({ caller, repository: found }: AccessFacts): number[] {
  return [isRefusal(caller) ? Number.NaN : Number(caller.accountName), Number(found?.epoch)]
}

test('a change between the questions makes the facts newer than the number, never older', async () => {
  const store = changingStore()
  const { findAccess } = accessOf(store)
  store.pause = async () => {
    store.head += 1
  }
  const found = await findAccess(question)
  expect(found.asOf).toBe(1)
  expect(readAt(found)).toEqual([2, 4])
})

test('a cached fact is used under the number it was found under, not under a later one', async () => {
  const store = changingStore()
  const { findAccess } = accessOf(store)
  await findAccess(question)
  store.head = 7
  await nextTurn()
  const found = await findAccess(question)
  expect([found.asOf, ...readAt(found)]).toEqual([7, 7, 7])
})

test('a request that waited while others moved on names the number that it began with', async () => {
  const store = changingStore()
  const { findAccess } = accessOf(store)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  store.pause = () => held
  const waiting = findAccess(question)
  await nextTurn()
  store.pause = undefined
  store.head = 5
  expect((await findAccess(question)).asOf).toBe(5)
  release()
  expect((await waiting).asOf).toBe(1)
})

test('whatever the order of changes, requests and answers', () =>
  fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(fc.nat({ max: 2 })), async (scheduler, acts) => {
      const store = changingStore()
      const { findAccess } = accessOf(store)
      store.pause = () => scheduler.schedule(Promise.resolve())
      const asked: (AccessFacts | Promise<AccessFacts>)[] = []
      for (const act of acts) {
        if (act === 0) store.head += 1
        if (act === 1) asked.push(findAccess(question))
        if (act === 2) await nextTurn()
        if (act === 2 && scheduler.count() > 0) await scheduler.waitOne()
      }
      await scheduler.waitFor(Promise.all(asked))
      for (const facts of await Promise.all(asked)) {
        for (const number of readAt(facts)) expect(number).toBeGreaterThanOrEqual(facts.asOf)
      }
    }),
  ))
