/** Ends an answer that is given before its request has arrived whole, so that the client gets to read it. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * A connection that is closed while data still arrives is reset, and an answer under way is lost with it. So what
 * arrives is taken and thrown away, as long as it keeps coming and within reason.
 */
const silenceMs = 2000
const mostMs = 30_000

export function endAfterRequest(
  request: IncomingMessage,
  response: ServerResponse,
  body: string | undefined = undefined,
): void {
  if (request.complete) {
    response.end(body)
    return
  }
  // Node may take the socket from the request before its response is finished.
  const socket: Socket | null = request.socket
  if (body !== undefined) response.write(body)
  const end = () => {
    clear()
    response.end(() => {
      if (!request.complete) socket?.destroy()
    })
  }
  const silence = setTimeout(end, silenceMs)
  const most = setTimeout(end, mostMs)
  const heard = () => silence.refresh()
  const clear = () => {
    clearTimeout(silence)
    clearTimeout(most)
    request.off('data', heard).off('end', end)
  }
  request.on('data', heard).on('end', end)
  response.once('close', clear)
  request.resume()
}
