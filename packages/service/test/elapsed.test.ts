/** Passed time is neither lost while a machine sleeps nor taken back when its clock is set. */

import { movedClock, startOfTime } from '@latchkey/testing/gate/storage-tokens'
import { movedStopwatch } from '@latchkey/testing/moved-stopwatch'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isPast, momentAfter, nowBy, secondsBetween } from '../src/machine/time.ts'

function watched() {
  const [clock, stopwatch] = [movedClock(), movedStopwatch()]
  const now = nowBy(clock.now, stopwatch.now)
  const begin = now()
  return { clock, stopwatch, passed: () => secondsBetween(begin, now()) }
}

test('a clock that is set back takes nothing back', () => {
  const { clock, stopwatch, passed } = watched()
  stopwatch.pass(7)
  clock.pass(-3600)
  expect(passed()).toBe(7)
})

test('the time that a machine slept counts, but for the second that a clock of whole seconds may be ahead', () => {
  const { clock, stopwatch, passed } = watched()
  stopwatch.pass(2)
  clock.pass(40)
  expect(passed()).toBe(39)
})

test('a second that has just begun is not counted as passed', () => {
  const { clock, stopwatch, passed } = watched()
  stopwatch.pass(0.25)
  clock.pass(1)
  expect(passed()).toBe(0.25)
})

test('a moment is past exactly when that much time has passed, by either clock', () => {
  fc.assert(
    fc.property(
      fc.nat(100),
      fc.integer({ min: -100, max: 100 }),
      fc.nat(100),
      (ms, at, seconds) => {
        const begin = { steadyMs: 0, wallMs: startOfTime * 1000 }
        const now = { steadyMs: ms * 1000, wallMs: (startOfTime + at) * 1000 }
        expect(isPast(momentAfter(begin, seconds), now)).toBe(secondsBetween(begin, now) >= seconds)
      },
    ),
  )
})
