/** Ends an answer that is given before its request has arrived whole, so that the client gets to read it. */

import type { IncomingMessage, ServerResponse } from 'node:http'

/** A connection that is closed while data still arrives is reset, and an answer under way is lost with it. */
const lingerMs = 1000

export function endAfterRequest(
  request: IncomingMessage,
  response: ServerResponse,
  body: string | undefined = undefined,
): void {
  if (request.complete) {
    response.end(body)
    return
  }
  if (body !== undefined) response.write(body)
  const end = () => {
    clearTimeout(timer)
    response.end(() => {
      if (!request.complete) request.socket.destroy()
    })
  }
  const timer = setTimeout(end, lingerMs)
  request.once('end', end)
  response.once('close', () => clearTimeout(timer))
  request.resume()
}
