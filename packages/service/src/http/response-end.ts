/** The end of a response: all of it has gone to the client, or the client has gone. */

import type { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** An answer that waits behind another on its connection may not be told that the connection has closed. */
export function isOver({ closed, req }: ServerResponse): boolean {
  return closed || req.socket.destroyed
}

export function whenOver(response: ServerResponse, act: () => void): void {
  if (isOver(response)) {
    act()
    return
  }
  whenEitherCloses(response, response.req.socket, act)
}

/** Acts once, and leaves no listener on the other. */
export function whenEitherCloses(one: EventEmitter, other: EventEmitter, act: () => void): void {
  const once = () => {
    one.off('close', once)
    other.off('close', once)
    act()
  }
  one.on('close', once)
  other.on('close', once)
}

export function untilOver(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => whenOver(response, resolve))
}

/**
 * A connection that is closed while data still arrives is reset, and an answer under way is lost with it. So what
 * arrives is taken and thrown away, as long as it keeps coming and within reason.
 */
const silenceMs = 2000
const maxMs = 30_000

/** Ends a response that is given before its request has arrived whole, so that the client gets to read it. */
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
  const most = setTimeout(end, maxMs)
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

/** Ends a connection so that nobody takes the part of a response that has gone for the whole. HTTP/1.0 takes a connection that is closed for the end of the answer, one that is reset for an error. */
export function resetConnection(socket: Socket): void {
  // While the connection is being closed a reset fails, and Node would wait for the end of it for ever.
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}
