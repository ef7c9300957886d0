import { describe, expect, it } from 'vitest'
import { parseByteRange } from '../../src/request/byte-range.ts'

describe('a Range header', () => {
  it.each([
    'bytes=-5',
    'bytes=5-4',
    'bytes=1-2,4-5',
    'bytes=a-b',
    'bytes=',
    'items=0-1',
    '0-1',
    'bytes=0-1; x',
    `bytes=0-${'9'.repeat(30)}`,
    '',
  ])('is not understood as %j', (header) => {
    expect(parseByteRange(header)).toBe('invalid')
  })

  it('is read as first and last byte, the last one optional', () => {
    expect(parseByteRange('bytes=0-0')).toEqual({ start: 0, end: 0 })
    expect(parseByteRange('bytes=7-')).toEqual({ start: 7, end: undefined })
    expect(parseByteRange(undefined)).toBeUndefined()
  })

  it('may ask up to 2^64, as clients do for the rest', () => {
    expect(parseByteRange('bytes=5-18446744073709551614')).toEqual({
      start: 5,
      end: Number.MAX_SAFE_INTEGER,
    })
  })
})
