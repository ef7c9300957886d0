/** Ends a connection so that nobody takes the part of an answer that has gone for the whole. */

import type { Socket } from 'node:net'

/** HTTP/1.0 takes a connection that is closed for the end of the answer, one that is reset for an error. */
export function resetConnection(socket: Socket): void {
  // While the connection is being closed a reset fails, and Node would wait for the end of it for ever.
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}
