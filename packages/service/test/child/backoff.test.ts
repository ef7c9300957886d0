import { expect, it } from 'vitest'
import { backoff, firstDelayMs, maxDelayMs, steadyMs } from '../../src/machine/child/keep-child.ts'

it('every start that follows soon waits twice as long, up to half a minute', () => {
  const next = backoff()
  const delays = Array.from({ length: 10 }, () => next(0))
  expect(delays).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
  expect([delays[0], delays.at(-1)]).toEqual([firstDelayMs, maxDelayMs])
})

it('after a minute of running the delays begin anew', () => {
  const next = backoff()
  expect([next(0), next(steadyMs - 1), next(steadyMs), next(0)]).toEqual([250, 500, 250, 500])
})
