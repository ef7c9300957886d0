/** A token that was taken back is refused at the next request, and what runs under it is cut. */

import { asAccountId, type JournalNumber, journalNumber, type Refusal } from '@latchkey/protocol'
import { away, followHub, heardFromHub } from '@latchkey/testing/gate/followed-hub'
import { memoryRevocations } from '@latchkey/testing/gate/published-revocations'
import {
  bearer,
  bert,
  casUrl,
  claims,
  issuer,
  keys,
  main,
  movedClock,
  signingKey,
} from '@latchkey/testing/gate/storage-tokens'
import { forEver, type RevocationTarget } from '@latchkey/token'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createGate, type Gate } from '../../src/check/create-gate.ts'
import { grantOf } from '../../src/grant/grant.ts'
import { noRevocations, type RevocationSource } from '../../src/revocations/revocation-source.ts'
import { asking, outcome } from '../check/ask.ts'

function gateBy(revocations: RevocationSource, whenStale: 'reject' | 'allow' = 'reject'): Gate {
  return createGate({ keys, issuer, casUrl, revocations, whenStale, clock: movedClock().now })
}

const grant = grantOf(claims(), signingKey.kid)
const asOf = claims().as_of

const places: readonly RevocationTarget[] = [
  { kind: 'all', id: '' },
  { kind: 'key', id: signingKey.kid },
  { kind: 'token', id: 'token-id' },
  { kind: 'hub-token', id: 'hub-token-id' },
  { kind: 'account', id: 'ada-id' },
  { kind: 'account+repository', id: `ada-id/${bert.uid}` },
  { kind: 'account+namespace', id: 'ada-id/acme' },
  { kind: 'namespace', id: 'acme' },
  { kind: 'repository', id: bert.uid },
  { kind: 'ref', id: main.uid },
]

describe.each(places)('a cut-off of $kind $id', (place) => {
  test('ends a token that was decided before it, and no token that was decided at it or later', async () => {
    const revocations = memoryRevocations()
    const gate = gateBy(revocations)
    expect(await outcome(gate, asking(bearer()))).toBe('admitted')
    revocations.cut(place, journalNumber(asOf + 1))
    await revocations.refresh()
    expect(await gate.check(asking(bearer()))).toMatchObject({
      refusal: { code: 'storage_token_invalid', reason: 'revoked' },
      grant: { tokenId: 'token-id' },
    })
    const later = bearer({ as_of: journalNumber(asOf + 1) })
    expect(await outcome(gate, asking(later))).toBe('admitted')
  })
})

test.each([
  { kind: 'account', id: 'other' },
  { kind: 'token', id: 'ada-id' },
  { kind: 'account+namespace', id: 'ada-id/other' },
  { kind: 'namespace', id: 'other' },
  { kind: 'key', id: 'other' },
] as const)('a cut-off of $kind $id leaves the token alone', async (place) => {
  const revocations = memoryRevocations()
  revocations.cut(place, forEver)
  expect(await outcome(gateBy(revocations), asking(bearer()))).toBe('admitted')
})

describe('without news of the hub', () => {
  test('a gate that never heard any is not ready, and answers 503', async () => {
    for (const choice of ['reject', 'allow'] as const) {
      const followed = followHub()
      followed.wire.head = away
      const gate = gateBy(followed.source, choice)
      expect(await outcome(gate, asking(bearer()))).toBe('gate_not_ready')
      expect(gate.isReady()).toBe(false)
    }
  })

  test.each([
    ['reject', 'gate_not_ready', false],
    ['allow', 'admitted', true],
  ] as const)(
    'a gate told to %s answers %s once the last head is over',
    async (choice, end, isReady) => {
      const { source, wire, pass } = await heardFromHub()
      const gate = gateBy(source, choice)
      wire.head = away
      pass(59)
      expect(await outcome(gate, asking(bearer()))).toBe('admitted')
      expect(gate.isReady()).toBe(true)
      pass(1)
      expect(await outcome(gate, asking(bearer()))).toBe(end)
      expect(gate.isReady()).toBe(isReady)
    },
  )

  test('a gate that admits still refuses what it knows to be taken back', async () => {
    const { hub, source, wire, pass } = await heardFromHub()
    const gate = gateBy(source, 'allow')
    hub.cut({ kind: 'account', id: 'ada-id' }, forEver)
    await source.refresh()
    wire.head = away
    pass(3600)
    expect(await outcome(gate, asking(bearer()))).toBe('storage_token_invalid')
  })

  test('a hub that is away is asked once in the normal bound, however many requests come', async () => {
    const { source, wire, pass, asked } = await heardFromHub()
    const gate = gateBy(source)
    wire.head = away
    pass(9)
    asked.length = 0
    for (let count = 0; count < 100; count += 1) await gate.check(asking(bearer()))
    expect(asked).toEqual(['head'])
    pass(60)
    for (let count = 0; count < 100; count += 1) await gate.check(asking(bearer()))
    expect(asked).toEqual(['head', 'head'])
  })
})

test('a gate that nobody polls asks before it judges by news older than the normal bound', async () => {
  const { hub, source, pass, asked } = await heardFromHub()
  const gate = gateBy(source)
  hub.cut({ kind: 'account', id: 'ada-id' }, forEver)
  asked.length = 0
  pass(8)
  expect(await outcome(gate, asking(bearer()))).toBe('admitted')
  expect(asked).toEqual([])
  pass(1)
  expect(await outcome(gate, asking(bearer()))).toBe('storage_token_invalid')
})

describe('a watched request', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  test('is cut once, when the news come that its token was taken back', async () => {
    const revocations = memoryRevocations()
    await revocations.refresh()
    const cut = vi.fn<(refusal: Refusal) => void>()
    gateBy(revocations).watch(grant, cut)
    await revocations.refresh()
    expect(cut).not.toHaveBeenCalled()
    revocations.cut({ kind: 'account', id: 'ada-id' }, forEver)
    await revocations.refresh()
    await revocations.refresh()
    expect(cut).toHaveBeenCalledOnce()
    expect(cut.mock.calls[0]?.[0]).toMatchObject({ reason: 'revoked' })
  })

  test('is left alone when another one is meant, or when its watch has ended', async () => {
    const revocations = memoryRevocations()
    await revocations.refresh()
    const gate = gateBy(revocations)
    const [other, ended] = [vi.fn(), vi.fn()]
    gate.watch({ ...grant, subject: asAccountId('bob-id') }, other)
    gate.watch(grant, ended)()
    revocations.cut({ kind: 'account', id: 'ada-id' }, forEver)
    await revocations.refresh()
    expect(other).not.toHaveBeenCalled()
    expect(ended).not.toHaveBeenCalled()
  })

  test('is cut at once if its token was taken back before the watch began', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const revocations = memoryRevocations()
    revocations.cut({ kind: 'account', id: 'ada-id' }, forEver)
    await revocations.refresh()
    const cut = vi.fn<(refusal: Refusal) => void>()
    gateBy(revocations).watch(grant, cut)
    await Promise.resolve()
    expect(cut.mock.calls[0]?.[0].reason).toBe('revoked')
  })

  test('is cut although the end of another one fails, and that failure shows', async () => {
    const revocations = memoryRevocations()
    await revocations.refresh()
    const gate = gateBy(revocations)
    const failing = new Error('of the test')
    gate.watch(grant, () => {
      throw failing
    })
    const cut = vi.fn()
    gate.watch(grant, cut)
    await Promise.resolve()
    vi.useFakeTimers({ toFake: ['queueMicrotask'] })
    revocations.cut({ kind: 'account', id: 'ada-id' }, forEver)
    await revocations.refresh()
    expect(() => vi.runAllTicks()).toThrow(failing)
    expect(cut).toHaveBeenCalledOnce()
  })

  test.each([
    ['reject', 1],
    ['allow', 0],
  ] as const)(
    'under a gate told to %s is cut %i times when the news end',
    async (choice, times) => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
      const { source, wire, pass } = await heardFromHub()
      const cut = vi.fn<(refusal: Refusal) => void>()
      gateBy(source, choice).watch(grant, cut)
      wire.head = away
      pass(59)
      await source.refresh()
      vi.advanceTimersByTime(1000)
      expect(cut).not.toHaveBeenCalled()
      pass(1)
      vi.advanceTimersByTime(1000)
      expect(cut).toHaveBeenCalledTimes(times)
      if (times > 0) expect(cut.mock.calls[0]?.[0].code).toBe('gate_not_ready')
    },
  )

  test('goes on when the clock was set forward and the hub has another head', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { source, clock } = await heardFromHub()
    const cut = vi.fn()
    gateBy(source).watch(grant, cut)
    clock.pass(3600)
    const heard = new Promise<void>((done) => source.onAnswer(done))
    vi.advanceTimersByTime(1000)
    await heard
    vi.advanceTimersByTime(1000)
    expect(cut).not.toHaveBeenCalled()
    expect(source.latest()?.state()).toBe('current')
  })

  test('is cut within the normal bound also where nobody polls', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { source, hub, pass } = await heardFromHub()
    const cut = new Promise<Refusal>((done) => gateBy(source).watch(grant, done))
    hub.cut({ kind: 'account', id: 'ada-id' }, forEver)
    pass(9)
    vi.advanceTimersByTime(1000)
    expect((await cut).reason).toBe('revoked')
  })

  test('keeps no timer running after its end', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const gate = gateBy(memoryRevocations())
    const ends = [gate.watch(grant, () => {}), gate.watch(grant, () => {})]
    expect(vi.getTimerCount()).toBe(1)
    for (const end of ends) end()
    expect(vi.getTimerCount()).toBe(0)
  })
})

/** Counts how often somebody looks into it. */
class CountingList extends Map<string, JournalNumber> {
  looks = 0

  override get(key: string): JournalNumber | undefined {
    this.looks += 1
    return super.get(key)
  }
}

test('a token that was judged by a list is not looked for in the same list again', async () => {
  const list = new CountingList([['of another token', forEver]])
  const latest = noRevocations.latest()
  if (latest === undefined) throw new Error('there is always a snapshot')
  const gate = gateBy({ ...noRevocations, latest: () => ({ ...latest, list }) })
  const request = asking(bearer())
  await gate.check(request)
  const { looks } = list
  expect(looks).toBeGreaterThan(0)
  for (let count = 0; count < 10; count += 1) await gate.check(request)
  expect(list.looks).toBe(looks)
})
