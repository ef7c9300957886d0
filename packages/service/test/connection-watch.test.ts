/** A connection whose client makes no progress is cut within a minute, and no other connection is. */

import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { refuse } from '@latchkey/protocol'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Serve } from '../src/http/call.ts'
import { listen } from '../src/http/listener.ts'
import { pooledRandom } from '../src/machine/random.ts'

/** A listener without deadlines of its own, with a stopwatch and sweeps that the test moves. */
async function open(serve: Serve, readingMs = 0) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  let passedMs = 0
  let served: Socket | undefined
  const listener = await listen({
    ...{ name: 'shop', host: '127.0.0.1', port: 0, connections: 20, hosts: ['*'] },
    randomBytes: pooledRandom(),
    unknownMethod: refuse('method_not_allowed', 'Only PUT is known here.', { allow: 'PUT' }),
    requestTimeoutMs: 0,
    idleTimeoutMs: 0,
    stopwatch: () => passedMs,
    readingMs,
    serve(request, response) {
      served = request.socket
      serve(request, response)
    },
  })
  onTestFinished(() => listener.stop(0))
  const client = connect(Number(new URL(listener.url).port), '127.0.0.1')
  onTestFinished(() => void client.destroy())
  client.on('error', () => {})
  await once(client, 'connect')
  return {
    client,
    /** Lets so many seconds pass, one sweep at the end of each five. */
    async pass(seconds: number, meanwhile: () => void = () => {}) {
      for (let passed = 0; passed < seconds; passed += 5) {
        meanwhile()
        await pause(10)
        passedMs += 5000
        vi.advanceTimersByTime(1000)
      }
      await pause(10)
    },
    connection(): Socket {
      if (served === undefined) throw new Error('nothing was served')
      return served
    },
  }
}

const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
const post = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n'
const refuseIt = (_: IncomingMessage, response: ServerResponse) => response.writeHead(401).end('no')

// conformance: Attacks / 36. An attacker sends requests and never reads responses
test.each([
  ['in one answer', 1, 64],
  ['in pipelined answers', 16, 4],
])('a client that leaves bytes unread %s is cut, although it goes on sending', async (...given) => {
  const [, requests, mebibytes] = given
  const { client, pass, connection } = await open((_, response) =>
    response.end(Buffer.alloc(mebibytes * 1024 * 1024)),
  )
  client.pause()
  client.write(get.repeat(requests))
  await expect.poll(() => connection().writableLength, { timeout: 30_000 }).toBeGreaterThan(0)
  await pass(25, () => client.write('\r\n'))
  expect(connection().destroyed).toBe(false)
  await pass(35, () => client.write('\r\n'))
  expect(connection().destroyed).toBe(true)
})

// conformance: Attacks / 36. An attacker sends requests and never reads responses
test('an answer may stand unread for as long as the operator allows, a refusal may not', async () => {
  const answerWith = async (status: number) => {
    const opened = await open((_, response) => {
      response.writeHead(status).end(Buffer.alloc(64 * 1024 * 1024))
    }, 300_000)
    opened.client.pause()
    opened.client.write(get)
    const unsent = () => opened.connection().writableLength
    await expect.poll(unsent).toBeGreaterThan(0)
    await opened.pass(60)
    return opened
  }
  expect((await answerWith(403)).connection().destroyed).toBe(true)
  const { connection, pass } = await answerWith(200)
  expect(connection().destroyed).toBe(false)
  await pass(300)
  expect(connection().destroyed).toBe(true)
})

// conformance: Attacks / 36. An attacker sends requests and never reads responses
test('a client that reads one large answer slowly gets it whole', async () => {
  const whole = 24 * 1024 * 1024
  const { client, pass } = await open((_, response) => response.end(Buffer.alloc(whole)))
  let read = 0
  let allowed = 0
  client.on('data', (part) => {
    read += part.length
    if (read >= allowed) client.pause()
  })
  client.write(get)
  while (read < whole) {
    allowed += 2 * 1024 * 1024
    client.resume()
    const part = Math.min(allowed, whole)
    await expect.poll(() => read, { timeout: 30_000 }).toBeGreaterThanOrEqual(part)
    await pass(20)
  }
})

// conformance: Attacks / 36. An attacker sends requests and never reads responses
test.each([
  ['a refusal', refuseIt],
  ['an answer', (_: IncomingMessage, response: ServerResponse) => response.end('yes')],
  [
    'a refusal whose end waits for the request',
    (request: IncomingMessage, response: ServerResponse) => {
      response.writeHead(401).write('no')
      request.resume()
    },
  ],
])('a client that goes on sending its body after %s is cut', async (_, serve) => {
  const { client, pass, connection } = await open(serve)
  client.resume().write(post)
  await expect.poll(connection).toBeDefined()
  await pass(25, () => client.write('x'))
  expect(connection().destroyed).toBe(false)
  await pass(35, () => client.write('x'))
  expect(connection().destroyed).toBe(true)
})

// conformance: Attacks / 36. An attacker sends requests and never reads responses
test('a client that gets nothing but refusals for 30 s gets "Connection: close" with the next', async () => {
  const { client, pass } = await open(refuseIt)
  let heard = ''
  client.on('data', (part) => {
    heard += part
  })
  await pass(30, () => client.write(get))
  expect(heard).toContain('Connection: keep-alive')
  expect(heard).not.toContain('Connection: close')
  await pass(30, () => client.write(get))
  expect(heard).toContain('Connection: close')
})

test('one good answer in between keeps the connection', async () => {
  let count = 0
  const { client, pass } = await open((_, response) => {
    count += 1
    response.writeHead(count % 4 === 0 ? 200 : 404).end()
  })
  let heard = ''
  client.on('data', (part) => {
    heard += part
  })
  await pass(100, () => client.write(get))
  const kept = () => heard.split('Connection: keep-alive').length - 1
  await expect.poll(kept).toBe(20)
})

// conformance: Attacks / 36. An attacker sends requests and never reads responses
test.each([
  ['empty lines', '\r\n'],
  ['nothing', ''],
])('a client that sends %s after its answer is cut within a minute', async (_, drip) => {
  const { client, pass, connection } = await open((_request, response) => response.end('served'))
  client.resume().write(get)
  await expect.poll(connection).toBeDefined()
  await pass(45, () => client.write(drip))
  expect(connection().destroyed).toBe(false)
  await pass(15, () => client.write(drip))
  expect(connection().destroyed).toBe(true)
})

test('a client that never sends a request is cut within a minute', async () => {
  const { client, pass } = await open(refuseIt)
  client.resume()
  const over = once(client, 'close')
  await pass(60)
  await over
})

test('a client that waits for a long piece of work is not cut', async () => {
  let finish = (): void => {}
  const { client, pass, connection } = await open((_, response) => {
    finish = () => void response.end('done')
  })
  let heard = ''
  client.on('data', (part) => {
    heard += part
  })
  client.write(get)
  await expect.poll(connection).toBeDefined()
  await pass(300)
  finish()
  await expect.poll(() => heard, { timeout: 30_000 }).toContain('done')
})
