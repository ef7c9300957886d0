import { expect, test } from 'vitest'
import { type JournalWatch, journalWatch } from '../../src/journal/journal-watch.ts'

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
  await Promise.all(waiting)
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
  await waiting
  await watch.growsBeyond(9, never)
  expect(looks).toBe(1)
})

test('a head that cannot be read ends the waiting: who asks again gets the error', async () => {
  const watch = journalWatch(() => Promise.reject(new Error('no database')))
  await expect(watch.growsBeyond(10, never)).resolves.toBeUndefined()
})

function takeSlots(watch: JournalWatch, account: string, count: number) {
  return Array.from({ length: count }, () => watch.takeSlot(account))
}

const isTaken = (free: unknown) => free !== undefined

test('the ninth question of one account gets no slot, and leaves the others theirs', () => {
  const watch = journalWatch(async () => 10)
  expect(takeSlots(watch, 'busy', 300).filter(isTaken)).toHaveLength(8)
  expect(takeSlots(watch, 'other', 8).every(isTaken)).toBe(true)
})

test('beyond 256 nobody waits, until a slot is free again', () => {
  const watch = journalWatch(async () => 10)
  const slots = Array.from({ length: 32 }, (_, index) =>
    takeSlots(watch, `account ${index}`, 8),
  ).flat()
  expect(slots.every(isTaken)).toBe(true)
  expect(takeSlots(watch, 'late', 1)).toEqual([undefined])
  slots[0]?.()
  expect(takeSlots(watch, 'late', 2).map(isTaken)).toEqual([true, false])
})
