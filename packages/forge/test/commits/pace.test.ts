/** A body that trickles ends; one that is only read slowly does not. */

import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { atPace, BodyTooSlow } from '../../src/http/pace.ts'

const pace = { windowMs: 60, leastBytes: 100 }

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

test('time that we take ourselves does not count', async () => {
  const atOnce = (async function* () {
    for (let at = 0; at < 9; at += 1) yield Buffer.alloc(10)
  })()
  expect(await read(atOnce, 20)).toBe(90)
})
