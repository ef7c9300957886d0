/** A reply on its way to the client. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { headerValues } from '@latchkey/service/http/headers'
import { endAfterRequest, untilOver } from '@latchkey/service/http/response-end'
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
    if (!isHead) for await (const part of body) await write(response, part)
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

/** Settles when the part has left this process, so that its memory can be used again. */
function write(response: ServerResponse, part: Uint8Array | string): Promise<void> {
  return new Promise((resolve, reject) => {
    const gone = () => reject(Object.assign(new Error('gone'), { code: 'ECONNRESET' }))
    if (response.closed) return gone()
    // The write of an answer that waits behind another does not fail when the connection closes.
    response.once('close', gone)
    return response.write(part, (error) => {
      response.off('close', gone)
      if (error === null || error === undefined) resolve()
      else gone()
    })
  })
}
