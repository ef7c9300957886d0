/** The floor over HTTP: keeps what is posted, gives ranges of what it has, and asks nobody for a token. */

import { createReadStream, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { startKeeper } from './keep-body.ts'
import type { Ready } from './sides.ts'

const keeper = startKeeper()

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const name = request.url?.split('/').at(-1) ?? ''
  if (request.method === 'GET') return give(request, response, name)
  await keeper.keep(request, name)
  response.writeHead(200, { 'Content-Length': 2 })
  response.end('{}')
}

function give({ headers }: IncomingMessage, response: ServerResponse, name: string): void {
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '')?.map(Number) ?? []
  if (start === undefined || end === undefined) throw new Error('a range is missing')
  response.writeHead(206, { 'Content-Length': end - start + 1 })
  createReadStream(join(keeper.folder, name), { start, end }).pipe(response)
}

const server = createServer((request, response) => {
  serve(request, response).catch(() => response.destroy())
})
// As the storage has it: rounds of the others lie between two of its own.
server.keepAliveTimeout = 75_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const ready: Ready = { url: `http://127.0.0.1:${port}`, authorization: '' }
  process.send?.(ready)
})
process.on('message', () => {
  keeper.empty()
  process.send?.('empty')
})
process.on('disconnect', () => {
  rmSync(keeper.folder, { recursive: true, force: true })
  process.exit()
})
