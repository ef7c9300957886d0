/** Bodies in memory: long ones are bounded in bytes for each account and in all, short ones never wait. */

import { describe, expect, it } from 'vitest'
import {
  bodiesWithinHeap,
  heldRoom,
  type ShareLimits,
  shares,
  shortBodyBytes,
} from '../../src/limits/shares.ts'

const mib = 1024 * 1024
const settled = () => new Promise((resolve) => setImmediate(resolve))

function world(limits: ShareLimits) {
  const room = shares(limits)
  const { signal: stays } = new AbortController()
  const request = (account: string, signal = stays) =>
    heldRoom(room, { payer: () => ({ account }), signal: () => signal })
  return { room, request }
}

describe('the room for bodies', () => {
  it('is a sixteenth of the heap, and a quarter of that for an account', () => {
    expect(bodiesWithinHeap({ heap_size_limit: 1024 * mib })).toMatchObject({
      ...{ max: 64 * mib, maxOfAccount: 16 * mib, reserved: 16 * mib },
    })
    expect(bodiesWithinHeap({ heap_size_limit: 64 * mib })).toMatchObject({
      ...{ max: 16 * mib, maxOfAccount: 8 * mib },
    })
  })

  it('is held by a request until it is over', async () => {
    const { room, request } = world({ max: mib })
    const first = request('a')
    await first.take(mib)
    let isTaken = false
    void request('b')
      .take(mib)
      .then(() => {
        isTaken = true
      })
    await settled()
    expect([isTaken, room.held()]).toEqual([false, mib])
    first.release()
    first.release()
    await settled()
    expect([isTaken, room.held()]).toEqual([true, mib])
  })

  it('of one account fills up, and another account and short bodies find room at once', async () => {
    const { room, request } = world({ max: 4 * mib, maxOfAccount: mib, maxWaitingOfAccount: 0 })
    await request('greedy').take(mib)
    expect(await request('greedy').take(mib)).toMatchObject({
      ...{ code: 'rate_limited', retryAfterSeconds: 5 },
    })
    expect(await request('greedy').take(shortBodyBytes)).toBeUndefined()
    expect(await request('modest').take(mib)).toBeUndefined()
    expect(room.held()).toBe(2 * mib)
  })

  it('is not taken by a client that leaves while it waits', async () => {
    const { room, request } = world({ max: mib })
    const first = request('a')
    await first.take(mib)
    const gone = new AbortController()
    const waiting = request('b', gone.signal).take(mib)
    gone.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    first.release()
    expect([room.held(), room.waiting()]).toEqual([0, 0])
  })
})
