/** The end of an answer: all of it has gone to the client, or the client has gone. */

import type { ServerResponse } from 'node:http'

/** An answer that waits behind another on its connection may not be told that the connection has closed. */
export function isOver({ closed, req }: ServerResponse): boolean {
  return closed || req.socket.destroyed
}

export function whenOver(response: ServerResponse, act: () => void): void {
  if (isOver(response)) {
    act()
    return
  }
  const { socket } = response.req
  const once = () => {
    response.off('close', once)
    socket.off('close', once)
    act()
  }
  response.on('close', once)
  socket.on('close', once)
}

export function untilOver(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => whenOver(response, resolve))
}
