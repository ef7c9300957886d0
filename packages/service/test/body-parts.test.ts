/** Memory of bodies is used again as soon as its bytes have gone, and not before. */

import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { ask } from '../src/http/ask.ts'
import { readIntoOneBuffer } from '../src/http/one-buffer.ts'

test('a body may be read into one buffer: a part has gone before the next is asked for', async () => {
  const server = createServer(async (request, response) => {
    const hash = createHash('sha256')
    for await (const part of request) hash.update(part)
    response.end(hash.digest('hex'))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const [expected, buffer] = [createHash('sha256'), Buffer.alloc(256 * 1024)]
  async function* body() {
    for (let count = 0; count < 64; count += 1) {
      expected.update(buffer.fill(count))
      yield buffer
    }
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const answer = await ask(url, { method: 'PUT', body: body() })
  expect(String(await answer.read(100))).toBe(expected.digest('hex'))
})

test('a connection that reads into one buffer gives each part memory of its own', async () => {
  const bytes = randomBytes(4 * 1024 * 1024)
  const connections = new Set<unknown>()
  const server = createServer((request, response) => {
    connections.add(request.socket)
    response.end(bytes)
  }).listen(0, '127.0.0.1')
  const agent = readIntoOneBuffer(new Agent({ keepAlive: true }))
  onTestFinished(() => {
    agent.destroy()
    server.close()
  })
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const all: Uint8Array[] = []
  for (let count = 0; count < 2; count += 1) {
    const answer = await ask(url, { agent })
    for await (const part of answer.body) {
      all.push(part)
      // The server cannot send on meanwhile.
      if (all.length % 16 === 0) await setTimeout(1)
    }
  }
  expect(Buffer.concat(all).equals(Buffer.concat([bytes, bytes]))).toBe(true)
  expect(connections.size).toBe(1)
  expect(new Set(all.map(({ buffer }) => buffer)).size).toBe(all.length)
})
