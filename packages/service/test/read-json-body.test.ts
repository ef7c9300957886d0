/** A body is read within its room and its time, and a refused one is not read at all. */

import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { refuse } from '@latchkey/protocol'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readAtMost, readJsonBody } from '../src/http/bodies.ts'

function post(headers: Readonly<Record<string, string>>) {
  const body = new PassThrough()
  const more = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } }
  return { body, request: Object.assign(body, more) as unknown as IncomingMessage }
}

test('room for the announced length is taken before anything is read', async () => {
  const { body, request } = post({ 'content-length': '5' })
  body.end('12345')
  const taken: [bytes: number, unread: number][] = []
  const read = await readJsonBody(request, {
    most: 1000,
    async take(bytes) {
      taken.push([bytes, body.readableLength])
      return undefined
    },
  })
  expect([Buffer.from(read as Uint8Array).toString(), taken]).toEqual(['12345', [[5, 5]]])
})

test('a body without a length takes room for the longest one', async () => {
  const { body, request } = post({ 'transfer-encoding': 'chunked' })
  body.end('12345')
  const take = vi.fn(async () => undefined)
  await readJsonBody(request, { most: 1000, take })
  expect(take.mock.calls).toEqual([[1000]])
})

test('a body without room is refused unread, and one that is too long takes none', async () => {
  const full = refuse('rate_limited', 'full')
  const { body, request } = post({ 'content-length': '5' })
  body.end('12345')
  const take = vi.fn(async () => full)
  expect(await readJsonBody(request, { most: 1000, take })).toBe(full)
  expect(body.readableLength).toBe(5)
  const { request: long } = post({ 'content-length': '1001' })
  expect(await readJsonBody(long, { most: 1000, take })).toMatchObject({
    code: 'body_too_large',
  })
  expect(take).toHaveBeenCalledTimes(1)
})

test.each([
  ['stands still', 0, 30],
  ['trickles', 1, 30],
  ['takes long in all', 64 * 1024, 60],
])('a body that %s is cut', async (_, bytesPerSecond, seconds) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { body, request } = post({ 'content-length': '100000000' })
  let result: unknown
  void readJsonBody(request, { most: 100_000_000 }).then((read) => {
    result = read
  })
  const waitSeconds = async (count: number) => {
    for (let second = 0; second < count; second += 1) {
      if (bytesPerSecond > 0) body.write(Buffer.alloc(bytesPerSecond))
      await vi.advanceTimersByTimeAsync(1000)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  await waitSeconds(seconds - 2)
  expect(result).toBeUndefined()
  await waitSeconds(4)
  expect(result).toMatchObject({ code: 'request_timeout' })
})

test('a body that comes byte by byte is kept as one piece of memory', async () => {
  const part = Buffer.from('a')
  const parts = (function* () {
    for (let at = 0; at < 1000; at += 1) {
      const own = Buffer.allocUnsafeSlow(1)
      own.set(part)
      yield own
    }
  })()
  const read = await readAtMost(parts, 1000)
  expect(read?.toString()).toBe('a'.repeat(1000))
  expect(read?.buffer.byteLength).toBeLessThanOrEqual(1024)
  expect(await readAtMost([part, part], 1)).toBeUndefined()
})
