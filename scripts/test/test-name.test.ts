import { expect, test } from 'vitest'
import { testNameAt } from '../reference/test-name.ts'

test.each([
  ["test('is plain', () => {})", 'is plain'],
  ['it("isn\'t plain", { tags: [] }, () => {})', "isn't plain"],
  ["test.each([[')', /[(']/, `\u0024{'('}`]])('has %s', () => {})", 'has %s'],
  ["test.skipIf(isMissing('it')).each(orders)(\n  `is \u0024{one}`,\n)", 'is \u0024{one}'],
  ['describe.each(/* ( */ many)(\n  // (\n  "in %s",\n)', 'in %s'],
])('the name of a test is read from its source: %s', (source, name) => {
  expect(testNameAt(source, 0)).toBe(name)
})

test.each(['const given = 1', 'test(name, () => {})', 'test.each(['])(
  'a source without a literal name has none: %s',
  (source) => {
    expect(testNameAt(source, 0)).toBe(undefined)
  },
)
