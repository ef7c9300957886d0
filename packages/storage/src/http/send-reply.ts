/** A reply on its way to the client. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { endAfterRequest } from '@latchkey/gate/serving'
import type { Reply } from '../requests/asked.ts'

/** Settles when nothing more goes to the client: all has gone, or the client has. */
export async function sendReply(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: Reply,
): Promise<void> {
  if (!request.complete) response.shouldKeepAlive = false
  const isHead = request.method === 'HEAD'
  if (body instanceof Readable) {
    response.writeHead(status, [...headers])
    if (isHead) {
      body.destroy()
      response.end()
    } else {
      await pipeline(body, response)
    }
    return
  }
  const hasLength = headers.some((name) => name.toLowerCase() === 'content-length')
  const length = hasLength ? [] : ['Content-Length', String(Buffer.byteLength(body))]
  response.writeHead(status, [...headers, ...length])
  if (isHead) response.end()
  else if (request.complete) response.end(body)
  else endAfterRequest(request, response, body.toString())
}
