/** Moments in whole seconds. */

import { expect, test } from 'vitest'
import { formatTime, unixSeconds } from '../src/index.ts'

test.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
  'what is no whole second is a mistake in the program: %j',
  (seconds) => {
    expect(() => unixSeconds(seconds)).toThrow(RangeError)
  },
)

test('a moment is written in UTC, to the second', () => {
  expect(formatTime(unixSeconds(0))).toBe('1970-01-01T00:00:00Z')
  expect(formatTime(unixSeconds(1_800_000_000))).toBe('2027-01-15T08:00:00Z')
})
