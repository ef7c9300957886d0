/** A gate asks its hub again and again, and requests never wait for a hub that was just asked in vain. */

import { away, heardFromHub } from '@latchkey/testing/gate/followed-hub'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { poll } from '../../src/revocations/hub-revocations.ts'

describe('polling', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('begins after a part of the interval, and goes on at the interval', () => {
    const asked = vi.fn()
    poll(asked, 5, () => 0.5)
    vi.advanceTimersByTime(2499)
    expect(asked).toHaveBeenCalledTimes(0)
    vi.advanceTimersByTime(1)
    expect(asked).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(4999)
    expect(asked).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(1)
    expect(asked).toHaveBeenCalledTimes(2)
    vi.advanceTimersByTime(50_000)
    expect(asked).toHaveBeenCalledTimes(12)
  })

  test('ends when told to, before the first question and after it', () => {
    const asked = vi.fn()
    poll(asked, 5, () => 0.5)()
    vi.advanceTimersByTime(60_000)
    expect(asked).toHaveBeenCalledTimes(0)
    const end = poll(asked, 5, () => 0)
    vi.advanceTimersByTime(5000)
    end()
    vi.advanceTimersByTime(60_000)
    expect(asked).toHaveBeenCalledTimes(2)
  })

  test('brings what the hub takes back', async () => {
    const { hub, source } = await heardFromHub()
    hub.cut({ kind: 'account', id: 'x' })
    const heard = new Promise<void>((done) => source.onAnswer(done))
    const end = source.poll()
    vi.advanceTimersByTime(5000)
    await heard
    expect(source.latest()?.list.size).toBe(1)
    end()
  })
})

test('a list at a time that is not a number is over', async () => {
  const { source } = await heardFromHub()
  expect(source.latest()?.state(Number.NaN)).toBe('over')
})

test('polling does not keep a process running', () => {
  const holding = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = holding()
  const end = poll(
    () => {},
    5,
    () => 1,
  )
  expect(holding()).toBe(before)
  end()
})

describe('a question', () => {
  test('is shared by those who ask at once, and sent after each of them has asked', async () => {
    const { source, asked, hub } = await heardFromHub()
    asked.length = 0
    const first = source.refresh()
    const others = Array.from({ length: 50 }, () => source.refresh())
    const seq = hub.advance()
    await Promise.all([first, ...others])
    expect(asked).toEqual(['head', 'head'])
    expect(source.latest()?.seq).toBe(seq)
  })

  test('never fails, and tells listeners however it ended', async () => {
    const { source, wire } = await heardFromHub()
    const told = vi.fn()
    const end = source.onAnswer(told)
    await source.refresh()
    wire.head = away
    await source.refresh()
    expect(told).toHaveBeenCalledTimes(2)
    end()
    await source.refresh()
    expect(told).toHaveBeenCalledTimes(2)
  })

  test('does not fail when a listener does, and the failure shows', async () => {
    const { source } = await heardFromHub()
    const told = vi.fn()
    const failing = new Error('of the test')
    source.onAnswer(() => {
      throw failing
    })
    source.onAnswer(told)
    vi.useFakeTimers({ toFake: ['queueMicrotask'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    await source.refresh()
    expect(told).toHaveBeenCalledOnce()
    expect(() => vi.runAllTicks()).toThrow(failing)
  })

  test('that was in vain is remembered for the normal bound, and forgotten by the clock of a machine that slept', async () => {
    const { source, wire, pass, clock } = await heardFromHub()
    expect(source.isAskedInVain()).toBe(false)
    wire.head = away
    await source.refresh()
    pass(8)
    expect(source.isAskedInVain()).toBe(true)
    pass(1)
    expect(source.isAskedInVain()).toBe(false)
    await source.refresh()
    clock.pass(30)
    expect(source.isAskedInVain()).toBe(false)
  })
})
