/** A body cut into lines, within its bounds. */

import { isRefusal } from '@latchkey/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { commitLineBounds, readLines } from '../../src/commits/lines.ts'
import { rounds } from '../rounds.ts'

async function* pieces(text: string, lengths: readonly number[]) {
  const bytes = Buffer.from(text)
  let at = 0
  for (const length of lengths) {
    yield bytes.subarray(at, at + length)
    at += length
  }
  yield bytes.subarray(at)
}

async function linesOf(chunks: AsyncIterable<Uint8Array>, bounds = commitLineBounds) {
  const lines: string[] = []
  for await (const line of readLines(chunks, bounds)) {
    lines.push(isRefusal(line) ? line.detail : Buffer.from(line).toString())
  }
  return lines
}

describe('a body', () => {
  test('gives the same lines, however it is cut', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '\n', '\r'), maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(6)), async (body, lengths) => {
        const expected = body.split('\n').filter((line) => line !== '')
        expect(await linesOf(pieces(body, lengths))).toEqual(expected)
      }),
      { numRuns: rounds(300, 10_000) },
    )
  })

  test('is refused at a line that is too long, before the line has come whole', async () => {
    let sent = 0
    async function* endless() {
      yield Buffer.from('ok\n')
      for (; ; sent += 1) yield Buffer.alloc(1000, 'a')
    }
    const bounds = { longest: 5000, most: 10 }
    const lines = await linesOf(endless(), bounds)
    expect(lines).toEqual(['ok', 'Line 2 of the body is longer than 5000 bytes.'])
    expect(sent).toBe(5)
    expect(await linesOf(pieces(`${'a'.repeat(5000)}\nb`, [3]), bounds)).toHaveLength(2)
    expect(await linesOf(pieces('a'.repeat(5001), []), bounds)).toHaveLength(1)
  })

  test('is refused at one line too many, of which empty ones are some', async () => {
    const bounds = { longest: 5, most: 3 }
    const refused = 'The body has more than 3 lines. Make several commits.'
    expect(await linesOf(pieces('a\nb\nc\n', []), bounds)).toEqual(['a', 'b', 'c'])
    expect(await linesOf(pieces('a\nb\nc', []), bounds)).toEqual(['a', 'b', 'c'])
    expect(await linesOf(pieces('a\nb\nc\nd', []), bounds)).toEqual(['a', 'b', 'c', refused])
    expect(await linesOf(pieces('\n\n\n\n', []), bounds)).toEqual([refused])
  })

  test('of a million tiny lines is refused after a hundred thousand', async () => {
    async function* tiny() {
      for (let at = 0; at < 100; at += 1) yield Buffer.from('{}\n'.repeat(10_000))
    }
    let last: unknown
    let count = 0
    for await (const line of readLines(tiny())) {
      last = line
      count += 1
    }
    expect(count).toBe(100_001)
    expect(last).toMatchObject({
      code: 'body_too_large',
      detail: 'The body has more than 100000 lines. Make several commits.',
    })
  })

  test('of many megabytes passes, one line in memory at a time', async () => {
    const megabytes = rounds(50, 150)
    const part = Buffer.alloc(1_000_000, 'a')
    async function* large() {
      for (let at = 0; at < megabytes; at += 1) {
        yield part
        if (at % 10 === 9) yield Buffer.from('\n')
      }
    }
    let bytes = 0
    for await (const line of readLines(large())) {
      expect(isRefusal(line)).toBe(false)
      if (!isRefusal(line)) bytes += line.length
    }
    expect(bytes).toBe(megabytes * 1_000_000)
  })
})
