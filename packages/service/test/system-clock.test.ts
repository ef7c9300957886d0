import { expect, test } from 'vitest'
import { systemClock } from '../src/machine/time.ts'

test('the system clock gives whole seconds of now', () => {
  const before = Math.floor(Date.now() / 1000)
  const now = systemClock()
  expect(Number.isSafeInteger(now)).toBe(true)
  expect(now).toBeGreaterThanOrEqual(before)
  expect(now).toBeLessThanOrEqual(before + 2)
})
