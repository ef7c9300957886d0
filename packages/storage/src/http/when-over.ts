/** When nothing more goes to a client: all has gone, or the client has. */

import type { ServerResponse } from 'node:http'

/** An answer that waits for its turn on a connection is not told of the connection's end. */
export function whenOver(response: ServerResponse, act: () => void): void {
  const { socket } = response.req
  if (response.closed || socket.destroyed) {
    act()
    return
  }
  const once = () => {
    response.off('close', once)
    socket.off('close', once)
    act()
  }
  response.on('close', once)
  socket.on('close', once)
}
