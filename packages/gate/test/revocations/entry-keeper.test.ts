/** Entries outlive the process that has accepted them, where something keeps them outside of it. */

import { journalNumber } from '@latchkey/protocol'
import { type FollowedHub, followHub } from '@latchkey/testing/gate/followed-hub'
import { cutOffHash, type RevocationTarget } from '@latchkey/token'
import { expect, test } from 'vitest'
import type { EntryKeeper, KeptEntries } from '../../src/revocations/kept-entries.ts'

const account = { kind: 'account', id: 'ada-id' } as const
const hubToken = { kind: 'hub-token', id: 'hub-token-id' } as const

/** As a bucket has them. */
function memoryKeeper() {
  const kept = new Map<string, KeptEntries extends ReadonlyMap<string, infer E> ? E : never>()
  let isAway = false
  const keeper: EntryKeeper = {
    async keep(entries) {
      if (isAway) throw new Error('the bucket is away')
      for (const [hash, entry] of entries) kept.set(hash, entry)
      return new Map(kept)
    },
  }
  const goAway = (away: boolean) => {
    isAway = away
  }
  return { keeper, kept, goAway }
}

const counts = ({ source }: FollowedHub, place: RevocationTarget) =>
  source.latest()?.list.has(cutOffHash(place))

function cut({ hub, clock }: FollowedHub, place: RevocationTarget): void {
  hub.cut(place, journalNumber(clock.now() * 1000))
}

test('a process that starts after a rollback of the hub has the entries of those before it', async () => {
  const { keeper, kept } = memoryKeeper()
  const before = followHub({ keeper })
  cut(before, account)
  await before.source.refresh()
  await expect.poll(() => kept.size).toBe(1)
  before.hub.lose(account)
  const after = followHub({ keeper, hub: before.hub })
  expect(after.source.latest()).toBeUndefined()
  await after.source.refresh()
  expect(counts(after, account)).toBe(true)
  const without = followHub({ hub: before.hub })
  await without.source.refresh()
  expect(counts(without, account)).toBe(false)
})

test('a process that runs gets the entries that only another one has heard of', async () => {
  const { keeper, kept } = memoryKeeper()
  const one = followHub({ keeper })
  const other = followHub({ keeper, hub: one.hub })
  await other.source.refresh()
  cut(one, account)
  await one.source.refresh()
  await expect.poll(() => kept.size).toBe(1)
  one.hub.lose(account)
  other.pass(5)
  cut(other, hubToken)
  await other.source.refresh()
  await expect.poll(() => counts(other, account)).toBe(true)
  expect(counts(other, hubToken)).toBe(true)
})

test('nothing is judged before the kept entries are there, and later a keeper that is away delays no entry', async () => {
  const { keeper, kept, goAway } = memoryKeeper()
  goAway(true)
  const followed = followHub({ keeper })
  await followed.source.refresh()
  expect(followed.source.latest()).toBeUndefined()
  expect(followed.failures).toEqual(['Error: the bucket is away'])
  goAway(false)
  await followed.source.refresh()
  expect(followed.source.latest()).toBeDefined()
  goAway(true)
  cut(followed, account)
  followed.pass(5)
  await followed.source.refresh()
  expect(counts(followed, account)).toBe(true)
  expect(kept.size).toBe(0)
  goAway(false)
  followed.pass(5)
  await followed.source.refresh()
  await expect.poll(() => kept.size).toBe(1)
})
