/** The end of an answer: all of it has gone to the client, or the client has gone. */

import type { EventEmitter } from 'node:events'
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
