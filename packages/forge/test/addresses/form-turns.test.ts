/** Long forms share the turns of the event loop. */

import { watchTurns } from '@latchkey/testing/stalls/watch-turns'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readForm } from '../../src/words/query.ts'

/** Every name and value with an escape is decoded by itself, so a turn is as long as the texts that it decodes. */
function watchDecoded() {
  const turns = watchTurns()
  const decode = decodeURIComponent
  vi.spyOn(globalThis, 'decodeURIComponent').mockImplementation((text: string) => {
    turns.add(text.length)
    return decode(text)
  })
  onTestFinished(() => void vi.restoreAllMocks())
  return turns
}

const maxPairs = 1001
const long = Array(300)
  .fill(`paths=${'%61'.repeat(100)}`)
  .join('&')
const short = Array(20)
  .fill(`paths=${'%61'.repeat(100)}`)
  .join('&')

/** A slice is 32 KiB and the pair that it has begun. */
const twoSlices = 2 * 32 * 1024

test.each([
  ['long forms', long, 4],
  ['many forms of less than a slice', short, 20],
])('one slice of all forms runs in each turn of the event loop: %s', async (_, text, count) => {
  const turns = watchDecoded()
  const forms = await Promise.all(Array.from({ length: count }, () => readForm(text, maxPairs)))
  const values = forms.map((form) => form?.get('paths')?.length)
  expect(values).toEqual(Array(count).fill(text.split('&').length))
  expect(turns.most()).toBeGreaterThan(0)
  expect(turns.most()).toBeLessThan(twoSlices)
})

// biome-ignore format: a table is read by its columns
test.each([
  ['has one pair too many',   Array(maxPairs + 1).fill('a=%61').join('&')],
  ['has one pair of 20 KiB',  `paths=${'+'.repeat(20 * 1024)}`],
])('a form is refused before it is decoded where it %s', async (_, text) => {
  const turns = watchDecoded()
  expect(await readForm(text, maxPairs)).toBeUndefined()
  expect(turns.most()).toBe(0)
})
