/** The keys of blob URLs: another one each day, and all of them dead with their root. */

import { createSecretKey } from 'node:crypto'
import { unixSeconds } from '@latchkey/protocol'
import { expect, it } from 'vitest'
import { dayKeys } from '../../src/blob-url/day-keys.ts'

const day = 24 * 3600

function keysAt(start: number) {
  let now = start
  let root = createSecretKey(Buffer.alloc(32, 1))
  const keys = dayKeys({ current: () => root, freshen: async () => {} }, () => unixSeconds(now))
  return {
    ...keys,
    pass(seconds: number) {
      now += seconds
    },
    replaceRoot() {
      root = createSecretKey(Buffer.alloc(32, 2))
    },
    secret: (of: number) => keys.of(of)?.export().toString('hex'),
  }
}

it('there is a key for today and yesterday, and for no other day', () => {
  const keys = keysAt(20_000 * day)
  expect([19_998, 20_001, -1, 0.5].map(keys.of)).toEqual(Array(4).fill(undefined))
  expect(new Set([keys.secret(20_000), keys.secret(19_999), undefined]).size).toBe(3)
})

it('what was signed in the last second of a day is accepted for one day more', () => {
  const keys = keysAt(20_001 * day - 1)
  const before = keys.today()
  keys.pass(1)
  expect(keys.today().day).toBe(20_001)
  expect(keys.secret(before.day)).toBe(before.key.export().toString('hex'))
  keys.pass(day)
  expect(keys.of(before.day)).toBeUndefined()
})

it('another root has other keys, also for days that were asked for before', () => {
  const keys = keysAt(20_000 * day)
  const before = [keys.secret(20_000), keys.secret(19_999)]
  keys.replaceRoot()
  const after = [keys.secret(20_000), keys.secret(19_999)]
  expect(new Set([...before, ...after]).size).toBe(4)
  expect(keys.today().key.export().toString('hex')).toBe(after[0])
})
