/** Requests that a client sends on one connection without waiting are served one after the other. */

import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { dial, type RawLine } from '@latchkey/testing/http/raw-line'
import { expect, onTestFinished, test } from 'vitest'
import { type InOrder, type ServeRequest, serveInOrder } from '../src/http/call.ts'
import { isOver, untilOver } from '../src/http/response-end.ts'

interface Opened extends InOrder {
  /** The answers of requests that are being served, in the order in which they began. */
  readonly begun: ServerResponse[]
  readonly failures: unknown[]
  /** A connection on which these paths are asked for at once. */
  ask(...paths: readonly string[]): Promise<RawLine>
  /** Waits until so many requests have begun. */
  begins(count: number): Promise<void>
}

async function open(serve: ServeRequest): Promise<Opened> {
  const begun: ServerResponse[] = []
  const failures: unknown[] = []
  const inOrder = serveInOrder(
    (request, response, waitsForContinue) => {
      begun.push(response)
      server.emit('begun')
      return serve(request, response, waitsForContinue)
    },
    (error) => failures.push(error),
  )
  const server = createServer(inOrder.serve).on('checkContinue', inOrder.serveContinue)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return {
    ...{ ...inOrder, begun, failures },
    async ask(...paths) {
      const line = await dial(`http://127.0.0.1:${port}`)
      line.say(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''))
      return line
    },
    async begins(count) {
      while (begun.length < count) await once(server, 'begun')
    },
  }
}

test('a request begins only after the answer before it is out, even if that was served long before', async () => {
  const { ask, begins, begun } = await open(async () => {})
  const line = await ask('/first', '/second')
  await begins(1)
  await nextTurn()
  expect(begun).toHaveLength(1)
  begun[0]?.end('the first')
  await begins(2)
  begun[1]?.end('the second')
  expect(await line.hears('the second')).toContain('the first')
})

test('requests of other connections do not wait', async () => {
  const { ask, begins, begun } = await open(async () => {})
  await ask('/one')
  await ask('/two')
  await begins(2)
  expect(begun.map(({ req }) => req.url).sort()).toEqual(['/one', '/two'])
})

test('a failure ends its connection alone and is reported', async () => {
  const bug = new Error('a bug')
  const { ask, failures } = await open(async ({ url }, response) => {
    if (url === '/bad') throw bug
    response.end('served')
  })
  const [bad, good] = [await ask('/bad'), await ask('/good')]
  expect(await bad.toTheEnd()).toBe('')
  expect(failures).toEqual([bug])
  await good.hears('served')
  expect(good.isOver()).toBe(false)
})

test('everything has settled once the last request has been served, also those that waited', async () => {
  const { ask, begins, begun, settled } = await open((_request, response) => untilOver(response))
  const { socket } = await ask('/first', '/second', '/third')
  await begins(1)
  // All three have come, in one piece.
  expect(begun[0]?.req.socket.bytesRead).toBe(socket.bytesWritten)
  socket.destroy()
  await settled()
  expect(begun.map(({ req }) => req.url)).toEqual(['/first', '/second', '/third'])
  expect(begun.map(isOver)).toEqual([true, true, true])
})

test('a client that asks before it sends its body is told apart', async () => {
  const asked: boolean[] = []
  const { ask } = await open(async ({ url }, response, waitsForContinue) => {
    asked.push(waitsForContinue)
    response.end(url)
  })
  const line = await ask('/plain')
  line.say('PUT /waits HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n')
  await line.hears('/waits')
  expect(asked).toEqual([false, true])
})
