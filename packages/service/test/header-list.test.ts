/** Raw headers are read as they came, whatever the case of their names and however often they came. */

import { expect, test } from 'vitest'
import { headerPairs, headerValues, joinedValues } from '../src/http/headers.ts'

const headers = ['Range', 'bytes=0-1', 'Accept', 'range', 'RANGE', 'bytes=5-6', 'ranges', 'none']

test('names and values become pairs, in their order', () => {
  expect(headerPairs(headers)).toEqual([
    ['Range', 'bytes=0-1'],
    ['Accept', 'range'],
    ['RANGE', 'bytes=5-6'],
    ['ranges', 'none'],
  ])
  expect(headerPairs([])).toEqual([])
})

test('every value of a header is found, and no value is taken for a name', () => {
  expect(headerValues(headers, 'range')).toEqual(['bytes=0-1', 'bytes=5-6'])
  expect(headerValues(headers, 'bytes=0-1')).toEqual([])
})

test('values are joined by commas; a header that is not there has none', () => {
  expect(joinedValues(headers, 'range')).toBe('bytes=0-1,bytes=5-6')
  expect(joinedValues(headers, 'origin')).toBeUndefined()
  expect(joinedValues(['origin', ''], 'origin')).toBe('')
})
