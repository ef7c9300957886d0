/** While a store is unavailable, uploads are refused soon, and go on when it is back. */

import { expect, test } from 'vitest'
import { StoreUnavailable } from '../../src/objects/object-store.ts'
import { outage } from '../../src/objects/s3/refuse-while-unavailable.ts'

const failure = new StoreUnavailable('the store is away')

test('uploads look at a store only once it has failed, all of them together, and until it is back', async () => {
  let looks = 0
  let isBack = false
  const { note, check } = outage(async () => {
    looks += 1
    if (!isBack) throw failure
  })
  await check()
  expect(looks).toBe(0)
  note(failure)
  const many = Array.from({ length: 20 }, () => check())
  for (const one of await Promise.allSettled(many)) expect(one.status).toBe('rejected')
  expect(looks).toBe(1)
  isBack = true
  await check()
  await check()
  expect(looks).toBe(2)
})

test('an upload does not wait for a store that does not answer', async () => {
  const { note, check } = outage(() => new Promise(() => {}))
  note(failure)
  await expect(check()).rejects.toBe(failure)
})
