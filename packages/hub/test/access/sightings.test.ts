/** A key that comes again is known, however many others come between; a new one seldom is. */

import { expect, test } from 'vitest'
import { sightings } from '../../src/access/sightings.ts'

const keys = (count: number, from = 0) =>
  Array.from(
    { length: count },
    (_, index) => `account models/acme/model-${from + index * 50} =main`,
  )

test('every one of 20 000 keys that come in turn is known at its second time', () => {
  const seen = sightings()
  for (const key of keys(20_000)) seen.note(key)
  expect(keys(20_000).filter((key) => !seen.note(key))).toEqual([])
})

test('of 50 000 keys that come once, fewer than one in a hundred is taken for another', () => {
  const seen = sightings()
  expect(keys(50_000).filter((key) => seen.note(key)).length).toBeLessThan(500)
})

test('a key is forgotten after twice as many others as are cached', () => {
  const seen = sightings()
  const early = keys(1000)
  for (const key of early) seen.note(key)
  for (const key of keys(120_000, 1_000_000)) seen.note(key)
  expect(early.filter((key) => seen.note(key)).length).toBeLessThan(20)
})

test('keys that come in turn are known at their second time, also where many share a place', () => {
  const seen = sightings()
  const many = keys(60_000)
  for (const key of many) seen.note(key)
  expect(many.slice(-40_000).filter((key) => !seen.note(key))).toEqual([])
})
