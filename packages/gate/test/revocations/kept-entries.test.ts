/** A gate keeps the entries that it has accepted until they end, whatever a newer list of the hub lacks. */

import { journalNumber, unixSeconds } from '@latchkey/protocol'
import { type FollowedHub, heardFromHub } from '@latchkey/testing/gate/followed-hub'
import { headKey } from '@latchkey/testing/gate/published-revocations'
import {
  cutOffHash,
  cutOffLifeSeconds,
  finalNumber,
  forEver,
  type RevocationList,
  type RevocationTarget,
} from '@latchkey/token'
import { generateSigningKey } from '@latchkey/token/signing'
import { describe, expect, test } from 'vitest'
import { keepEntries, type RevocationLists } from '../../src/revocations/kept-entries.ts'

const account = { kind: 'account', id: 'ada-id' } as const
const hubToken = { kind: 'hub-token', id: 'hub-token-id' } as const
const key = { kind: 'key', id: 'kid' } as const

const numberOf = ({ source }: FollowedHub, place: RevocationTarget) =>
  source.latest()?.list.get(cutOffHash(place))

/** The gate has heard of the cut-off, and then of a list without it. */
async function rolledBack(
  place: RevocationTarget,
  numberAt: (ms: number) => number = (ms) => ms,
): Promise<FollowedHub> {
  const followed = await heardFromHub()
  const { hub, source, clock, pass } = followed
  hub.cut(place, journalNumber(numberAt(clock.now() * 1000)))
  await source.refresh()
  pass(5)
  hub.lose(place)
  await source.refresh()
  return followed
}

async function afterSeconds(followed: FollowedHub, seconds: number): Promise<void> {
  followed.pass(seconds)
  await followed.source.refresh()
}

describe('an entry that a newer list lacks', () => {
  test('counts until no token is alive that it could end, and is dropped then', async () => {
    const followed = await rolledBack(account)
    const kept = followed.source.latest()
    await afterSeconds(followed, cutOffLifeSeconds - 6)
    expect(numberOf(followed, account)).toBeGreaterThan(0)
    expect(followed.source.latest()?.list).toBe(kept?.list)
    await afterSeconds(followed, 2)
    expect(numberOf(followed, account)).toBeUndefined()
    expect(followed.failures).toEqual([])
  })

  test('counts as long where it ends a hub token for ever', async () => {
    const followed = await rolledBack(hubToken, (ms) => finalNumber(journalNumber(ms)))
    await afterSeconds(followed, cutOffLifeSeconds - 6)
    expect(numberOf(followed, hubToken)).toBeGreaterThan(2 ** 52)
    await afterSeconds(followed, 2)
    expect(numberOf(followed, hubToken)).toBeUndefined()
  })

  test('counts for as long as the gate runs where it ends a key', async () => {
    const followed = await rolledBack(key, () => forEver)
    await afterSeconds(followed, 100 * cutOffLifeSeconds)
    expect(numberOf(followed, key)).toBe(forEver)
  })

  test('counts beside a lower number that the newer list has for the same thing', async () => {
    const followed = await rolledBack(account)
    const before = numberOf(followed, account) ?? 0
    followed.hub.cut(account, journalNumber(before - 1))
    await followed.source.refresh()
    expect(numberOf(followed, account)).toBe(before)
    followed.hub.cut(account, journalNumber(before + 1))
    await followed.source.refresh()
    expect(numberOf(followed, account)).toBe(before + 1)
  })

  test('does not count once the hub has withdrawn the key of its head: it may be a thief’s', async () => {
    const followed = await rolledBack(account)
    const { hub, source } = followed
    const next = await generateSigningKey('ES256')
    hub.useKeys(next, headKey)
    hub.advance()
    await source.refresh()
    expect(numberOf(followed, account)).toBeGreaterThan(0)
    hub.useKeys(next)
    hub.advance()
    await afterSeconds(followed, 61)
    expect(numberOf(followed, account)).toBeUndefined()
  })
})

test('a gate keeps no more entries than a list can have, and drops those that end first', () => {
  const at = unixSeconds(1_800_000_000)
  const listFrom = (from: number): RevocationList => {
    const ids = Array.from({ length: 60_000 }, (_, index) => from + index)
    const made = (id: number) => finalNumber(journalNumber((at + id) * 1000))
    return new Map([[`key ${from}`, forEver], ...ids.map((id) => [`${id}`, made(id)] as const)])
  }
  let held: RevocationLists = { listed: new Map(), entries: new Map(), list: new Map() }
  for (const listed of [listFrom(0), listFrom(60_000), new Map()]) {
    held = keepEntries({ kid: 'kid', ...held }, { listed, at, isPublished: () => true })
  }
  expect(held.list.size).toBe(100_000)
  expect(held.list.get('key 0')).toBe(forEver)
  expect([held.list.has('20001'), held.list.has('20002')]).toEqual([false, true])
})
