import { expect, test } from 'vitest'
import { journalWatch } from '../../src/journal/journal-watch.ts'

const never = new AbortController().signal

test('everybody who waits is served by one look at the head', async () => {
  let looks = 0
  let head = 10
  const watch = journalWatch(async () => {
    looks += 1
    return head
  })
  const waiting = Array.from({ length: 50 }, () => watch.growsBeyond(10, never))
  head = 11
  expect(await Promise.all(waiting)).toEqual(Array.from({ length: 50 }, () => true))
  expect(looks).toBe(1)
})

test('nobody looks when nobody waits any more', async () => {
  let looks = 0
  const watch = journalWatch(async () => {
    looks += 1
    return 10
  })
  const client = new AbortController()
  const waiting = watch.growsBeyond(10, client.signal)
  client.abort()
  expect(await waiting).toBe(true)
  await watch.growsBeyond(9, never)
  expect(looks).toBe(1)
})

test('a head that cannot be read ends the waiting: who asks again gets the error', async () => {
  const watch = journalWatch(() => Promise.reject(new Error('no database')))
  expect(await watch.growsBeyond(10, never)).toBe(true)
})

test('beyond 256 nobody waits', async () => {
  let head = 10
  const watch = journalWatch(async () => head)
  const waiting = Array.from({ length: 256 }, () => watch.growsBeyond(10, never))
  expect(await watch.growsBeyond(10, never)).toBe(false)
  head = 11
  await Promise.all(waiting)
  const later = watch.growsBeyond(11, never)
  head = 12
  expect(await later).toBe(true)
})
