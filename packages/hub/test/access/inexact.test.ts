/** A store whose version may lag: caches answer yes, and a question past them asks the database. */

import { parseRevision } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import { accessOf } from '../../src/access/find-access.ts'
import { isFresh } from '../../src/access/moment.ts'
import { fakeStore, learned, now, repo } from './fake-store.ts'

const question = {
  now,
  hubTokenHash: 'hash',
  repo: repo('models/acme/bert'),
  revision: parseRevision('main'),
}
const bert = 'bert for account: {"tag":"refs/tags/main","moving":"refs/heads/main"}'

function opened() {
  const store = { ...fakeStore(), isExact: false }
  return { store, access: accessOf(store) }
}

test('what was just asked is current, and what a cache gave is not', async () => {
  const { access } = opened()
  expect((await access.findAccess(question)).isCurrent).toBe(true)
  expect((await access.findAccess(question)).isCurrent).toBe(false)
})

test('a caller from the cache makes an answer old, also where the repository was just asked for', async () => {
  const { access } = opened()
  await access.findAccess(question)
  const other = { ...question, repo: repo('models/acme/other') }
  expect((await access.findAccess(other)).isCurrent).toBe(false)
})

test('a question past the caches asks for both, and what it finds is cached', async () => {
  const { store, access } = opened()
  await access.findAccess(question)
  store.asked()
  expect((await access.findAccess({ ...question, anew: true })).isCurrent).toBe(true)
  expect(store.asked()).toEqual(['caller hash', bert])
  await access.findAccess(question)
  expect(store.asked()).toEqual([])
})

test('current prefixes are asked for each time', async () => {
  const { store, access } = opened()
  await access.knownPrefixes()
  await access.currentPrefixes()
  await access.currentPrefixes()
  expect(store.asked()).toEqual(['prefixes', 'prefixes', 'prefixes'])
})

test.each<readonly [string, number, number, boolean]>([
  ['both clocks are within the bound', 5000, 5000, true],
  ['the steady clock is beyond it', 5001, 0, false],
  ['only the wall clock is beyond it: the machine slept', 0, 5001, false],
  ['the wall clock was set back', 5000, -3_600_000, true],
])('what was learned may be signed while %s', (_, steadyMs, wallMs, isStill) => {
  const later = { steadyMs: learned.steadyMs + steadyMs, wallMs: learned.wallMs + wallMs }
  expect(isFresh(learned, { now: () => later, maxMs: 5000 })).toBe(isStill)
})
