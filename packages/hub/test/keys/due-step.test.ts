/** The schedule of the rotation, decided from rows and a time alone. */

import { unixSeconds } from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import { dueStep, lifeOf, type Schedule } from '../../src/keys/due-step.ts'
import type { KeyFacts } from '../../src/keys/key-state.ts'
import { lifetimesOf, publishedSeconds, retiringSeconds } from '../../src/keys/waits.ts'
import { key } from './key-rows.ts'

const day = 86_400
const start = 1_800_000_000
const head = key({ state: 'signing', since: start, kid: 'head', purpose: 'revocations' })

function due(keys: readonly KeyFacts[], now: number, change: Partial<Schedule> = {}) {
  const alg = change.wantedAlgorithm ?? 'ES256'
  return dueStep([...keys, { ...head, alg, activated_at: now }], {
    now: unixSeconds(now),
    rotationSeconds: 90 * day,
    lifetimes: lifetimesOf(900),
    firstAlgorithm: 'ES256',
    ...change,
  })
}

describe('the first key', () => {
  test('signs at once, because nothing was signed before it', () => {
    const made = { do: 'publish', purpose: 'tokens', alg: 'EdDSA', activatesAt: undefined }
    expect(due([], start, { firstAlgorithm: 'EdDSA' })).toEqual(made)
    expect(due([key({ state: 'retiring', since: start })], start)).toMatchObject({ do: 'publish' })
  })

  test('is a published one where no key signs', () => {
    const waiting = key({ state: 'published', since: start })
    expect(due([waiting], start)).toEqual({ do: 'activate', kid: 'published' })
  })
})

describe('the next key', () => {
  const signing = key({ state: 'signing', since: start })

  test('is published at half of the life of the signing key, to sign when a sixth is left', () => {
    expect(due([signing], start + 45 * day - 1)).toBeUndefined()
    expect(due([signing], start + 45 * day)).toEqual({
      do: 'publish',
      purpose: 'tokens',
      alg: 'ES256',
      activatesAt: start + 75 * day,
    })
  })

  test('signs at its time, and not before', () => {
    const next = key({ state: 'published', since: start + 45 * day, activatesAt: start + 75 * day })
    expect(due([signing, next], start + 75 * day - 1)).toBeUndefined()
    expect(due([signing, next], start + 75 * day)).toEqual({ do: 'activate', kid: 'published' })
  })

  test('waits its whole wait where half of the life is long over', () => {
    const late = start + 1000 * day
    expect(due([signing], late)).toMatchObject({ activatesAt: late + publishedSeconds })
    const next = key({ state: 'published', since: late, activatesAt: late })
    expect(due([signing, next], late + publishedSeconds - 1)).toBeUndefined()
    expect(due([signing, next], late + publishedSeconds)).toMatchObject({ do: 'activate' })
  })

  test('is not made by itself where the schedule is off, but one that was begun goes on', () => {
    const off = { rotationSeconds: 0 }
    expect(due([signing], start + 1000 * day, off)).toBeUndefined()
    const next = key({ state: 'published', since: start })
    expect(due([signing, next], start + 600, off)).toMatchObject({ do: 'activate' })
  })

  test('has its wait within the smallest schedule that can be configured', () => {
    const { publishAt, activateAt } = lifeOf(signing, day)
    expect(activateAt - publishAt).toBeGreaterThan(publishedSeconds)
  })
})

describe('a key that retires', () => {
  const signing = key({ state: 'signing', since: start })

  test('is removed when the last token it signed is over everywhere, and not before', () => {
    const old = key({ state: 'retiring', since: start })
    expect(retiringSeconds(900)).toBe(900 + 60 + 300 + 60)
    expect(due([old, signing], start + 1319)).toBeUndefined()
    expect(due([old, signing], start + 1320)).toEqual({ do: 'remove', kid: 'retiring' })
  })

  test('stays for the longest lifetime that any hub signed with it', () => {
    const old = key({ state: 'retiring', since: start, lifetime: day })
    expect(due([old, signing], start + day + 419)).toBeUndefined()
    expect(due([old, signing], start + day + 420)).toEqual({ do: 'remove', kid: 'retiring' })
  })
})

describe('a hub that signs for longer', () => {
  test('says so in the rows of every key that it may sign with', () => {
    const rows = [
      key({ state: 'signing', since: start }),
      key({ state: 'published', since: start }),
      key({ state: 'retiring', since: start }),
    ]
    const lifetimes = lifetimesOf(3600)
    const first = due(rows, start, { lifetimes })
    expect(first).toEqual({ do: 'raise lifetime', kid: 'signing', seconds: 3600 })
    const raised = rows.map((row) => (row.kid === 'signing' ? { ...row, max_lifetime: 3600 } : row))
    expect(due(raised, start, { lifetimes })).toMatchObject({ kid: 'published', seconds: 3600 })
    const both = raised.map((row) => ({ ...row, max_lifetime: 3600 }))
    expect(due(both, start, { lifetimes })).toBeUndefined()
  })
})

describe('another algorithm', () => {
  const signing = key({ state: 'signing', since: start })
  const wanted = { wantedAlgorithm: 'EdDSA' } as const

  test('gets a key that waits like any other', () => {
    const made = { do: 'publish', purpose: 'tokens', alg: 'EdDSA', activatesAt: start + 600 }
    expect(due([signing], start, wanted)).toEqual(made)
  })

  test('takes the place of a next key that has not signed', () => {
    const next = key({ state: 'published', since: start })
    expect(due([signing, next], start, wanted)).toEqual({ do: 'remove', kid: 'published' })
    const right = key({ state: 'published', since: start, alg: 'EdDSA' })
    expect(due([signing, right], start, wanted)).toBeUndefined()
  })

  test('is asked for by a start alone, so hubs with different ones do not take turns for ever', () => {
    const other = key({ state: 'signing', since: start, alg: 'EdDSA' })
    expect(due([other], start)).toBeUndefined()
    expect(due([other], start + 45 * day)).toMatchObject({ do: 'publish', alg: 'EdDSA' })
  })
})
