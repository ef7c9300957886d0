/** A storage in a process of its own that can be killed; the path of a request says how it is to be served. */

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { keystream } from '@latchkey/testing/keystream'

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '', 'http://storage')
  // Whoever is cut off in the middle has seen enough.
  serve(url.pathname.split('/')[1] ?? '', url.searchParams, request, response).catch(() => {})
})

async function serve(
  how: string,
  wanted: URLSearchParams,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  switch (how) {
    case 'echo':
      response.writeHead(200)
      return void request.pipe(response)
    case 'bytes':
      return sendBytes(wanted, response, 1)
    case 'half':
      return sendBytes(wanted, response, 0.5)
    case 'no':
      response.writeHead(413).end('too much')
      // Leaving with bytes unread would reset the connection and could take the answer along.
      return void request.resume()
    case 'dies':
      if (request.method === 'POST') await once(request, 'data')
      return void request.socket.destroy()
    default:
      response.writeHead(404).end()
  }
}

async function sendBytes(
  wanted: URLSearchParams,
  response: ServerResponse,
  part: number,
): Promise<void> {
  const length = Number(wanted.get('length'))
  const bytes = keystream(wanted.get('name') ?? '', length)
  response.writeHead(200, wanted.has('chunked') ? {} : { 'Content-Length': length })
  const end = Math.floor(length * part)
  for (let at = 0; at < end; at += 50_000) {
    if (!response.write(bytes.subarray(at, Math.min(end, at + 50_000)))) {
      await once(response, 'drain')
    }
  }
  if (part === 1) return void response.end()
  await pause(5)
  response.destroy()
}

process.once('message', ({ port }: { port: number }) => {
  server.listen(port, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
})
process.on('disconnect', () => process.exit())
