/** A reply on its way to the client. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { headerValues } from '@latchkey/service/http/headers'
import { endAfterRequest, untilOver } from '@latchkey/service/http/response-end'
import { writePart } from '@latchkey/service/http/write-part'
import type { StorageReply } from '../request/asked.ts'

/** Settles when nothing more goes to the client: all has gone, or the client has. */
export async function sendReply(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: StorageReply,
): Promise<void> {
  if (!request.complete) response.shouldKeepAlive = false
  const isHead = request.method === 'HEAD'
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) {
    response.writeHead(status, [...headers])
    if (!isHead) for await (const part of body) await writePart(response, part)
    response.end()
    return
  }
  const hasLength = headerValues(headers, 'content-length').length > 0
  const length = hasLength ? [] : ['Content-Length', String(Buffer.byteLength(body))]
  response.writeHead(status, [...headers, ...length])
  if (isHead) response.end()
  else if (request.complete) response.end(body)
  else endAfterRequest(request, response, body.toString())
  // The deadlines watch until then: a client that does not read is cut.
  await untilOver(response)
}
