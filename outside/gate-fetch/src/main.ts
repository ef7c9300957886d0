/** Serves the handler with what Node has. */

import { createServer, type IncomingMessage } from 'node:http'
import { handler } from './handler.js'

function requestOf({ method = 'GET', url = '/', headersDistinct }: IncomingMessage): Request {
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) headers.append(name, value)
  }
  return new Request(new URL(url, 'http://127.0.0.1'), { method, headers })
}

const server = createServer(async (request, response) => {
  const answer = await handler(requestOf(request))
  response.writeHead(answer.status, [...answer.headers].flat())
  response.end(await answer.text())
})
server.listen(Number(process.env['PORT'] ?? 8081), '127.0.0.1')
