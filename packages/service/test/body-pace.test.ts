/** A body or a reply that trickles ends; time that we take ourselves does not count. */

import { setTimeout as wait } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { atPace, BodyTooSlow, readAtPace } from '../src/http/bodies.ts'

const pace = { windowMs: 60, minBytes: 100 }

async function* body(parts: number, pauseMs: number) {
  for (let at = 0; at < parts; at += 1) {
    await wait(pauseMs, undefined, { ref: false })
    yield Buffer.alloc(10)
  }
}

async function read(parts: AsyncIterable<Uint8Array>, slowlyMs = 0): Promise<number> {
  let bytes = 0
  for await (const part of atPace(parts, pace)) {
    bytes += part.length
    if (slowlyMs > 0) await wait(slowlyMs)
  }
  return bytes
}

test('a client that sends a few bytes now and then, or none, is refused', async () => {
  await expect(read(body(1000, 20))).rejects.toThrow(BodyTooSlow)
  await expect(read(body(1, 60_000))).rejects.toThrow(BodyTooSlow)
})

test('a client that sends enough in each window is refused once the whole body takes too long', async () => {
  const slowly = atPace(body(1000, 5), { windowMs: 10_000, minBytes: 10, maxMs: 60 })
  const read = async () => {
    for await (const part of slowly) expect(part).toHaveLength(10)
  }
  await expect(read()).rejects.toThrow(BodyTooSlow)
})

test('time that we take ourselves does not count', async () => {
  const atOnce = (async function* () {
    for (let at = 0; at < 9; at += 1) yield Buffer.alloc(10)
  })()
  expect(await read(atOnce, 20)).toBe(90)
})

test('a client that reads a few bytes now and then, or none, is cut', async () => {
  for (const pauseMs of [20, 1000]) {
    const cut = vi.fn()
    for await (const _ of readAtPace(body(100, 0), cut, pace)) {
      if (cut.mock.calls.length > 0) break
      await wait(pauseMs)
    }
    expect(cut).toHaveBeenCalled()
  }
})

test('a client that waits for a slow git is not cut', async () => {
  const cut = vi.fn()
  for await (const part of readAtPace(body(6, 20), cut, pace)) expect(part).toHaveLength(10)
  expect(cut).not.toHaveBeenCalled()
})
