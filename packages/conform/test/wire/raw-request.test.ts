/** A hostile server neither stops a run nor keeps it from its end. */

import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { rawClient } from '../../src/wire/raw-request.ts'

const maxMs = 200

async function responseOf(respond: (socket: Socket) => void): Promise<unknown> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => respond(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = rawClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, maxMs)
  onTestFinished(() => {
    client.close()
    server.close()
  })
  return client.send({ method: 'GET', target: '/', headers: [] })
}

const endless = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

function flood(socket: Socket): void {
  const part = `fffff\r\n${'x'.repeat(0xfffff)}\r\n`
  const write = () => {
    while (socket.writable && socket.write(part));
  }
  socket.on('drain', write).write(endless)
  write()
}

const late = /^no whole response within 0\.2 s$/
const begun = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab'
const switching = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'

test.each<[string, RegExp, (socket: Socket) => void]>([
  ['never responds', late, () => {}],
  ['never ends its response', late, (socket) => socket.write(begun)],
  ['sends more than any check needs', /^the response has more than 5000000 bytes$/, flood],
  ['switches the protocol', /closed the connection|hang up/, (socket) => socket.write(switching)],
  ['sends no HTTP', /^Parse Error/, (socket) => socket.write('\u001b[2J\r\n\r\n')],
  ['ends within its response', /aborted|closed the connection/, (socket) => socket.end(begun)],
])('a server that %s is an error', async (_, message, respond) => {
  await expect(responseOf(respond)).rejects.toThrow(message)
})
