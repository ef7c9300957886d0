/** Bounds the requests that a client sends on one connection before it has the responses to those before. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { RequestQueue } from './request-queue.ts'
import { isOver } from './response-end.ts'
import type { UnreadSockets } from './unread-sockets.ts'

/** The heads that wait on one connection, before it is left unread. */
const maxBytes = 64 * 1024

interface Head {
  readonly flow: string
  readonly bytes: number
  /** Whether its connection is left unread for it. */
  readonly isHeld: boolean
}

interface Line {
  readonly heads: Set<Head>
  bytes: number
  /** How many of the heads are held. */
  held: number
}

export interface PipeliningOptions {
  readonly queue: Pick<RequestQueue, 'flowOf' | 'bytesOf' | 'hasPlace' | 'kept' | 'freed'>
  readonly unread: UnreadSockets
}

export interface Pipelining {
  /**
   * Serves a request that came before the response to the one before it was out. A request beyond the bound is served once that
   * response is out, and its connection is not read until then. Every request before it has been read whole, so none of
   * them waits for a body that nobody reads.
   */
  serveBehind(before: ServerResponse, response: ServerResponse, serve: () => void): void
  isHeld(socket: Duplex): boolean
}

export function pipelining({ queue, unread }: PipeliningOptions): Pipelining {
  const lines = new WeakMap<Duplex, Line>()
  const leave = (socket: Duplex, line: Line, head: Head): void => {
    if (!line.heads.delete(head)) return
    line.bytes -= head.bytes
    queue.freed(head.flow, head.bytes)
    if (!head.isHeld) return
    line.held -= 1
    if (line.held === 0) unread.release(socket, 'order')
  }
  const lineOf = (socket: Duplex): Line => {
    const former = lines.get(socket)
    if (former !== undefined) return former
    const line: Line = { heads: new Set(), bytes: 0, held: 0 }
    lines.set(socket, line)
    // Node does not tell every response that waits behind another of it.
    socket.once('close', () => {
      for (const head of line.heads) leave(socket, line, head)
    })
    return line
  }
  const headOf = (request: IncomingMessage, line: Line): Head => {
    const bytes = queue.bytesOf(request)
    const isHeld = line.held > 0 || line.bytes + bytes > maxBytes
    return { flow: queue.flowOf(request), bytes, isHeld }
  }
  return {
    isHeld: (socket) => (lines.get(socket)?.held ?? 0) > 0,
    serveBehind(before, response, serve) {
      const { req: request } = response
      const { socket } = request
      const line = lineOf(socket)
      const head = headOf(request, line)
      if (!queue.hasPlace(head.flow, head.bytes)) return void socket.destroy()
      line.heads.add(head)
      line.bytes += head.bytes
      queue.kept(head.flow, head.bytes)
      if (head.isHeld) {
        line.held += 1
        unread.hold(socket, 'order')
      }
      before.once('close', () => {
        leave(socket, line, head)
        if (head.isHeld && !isOver(response)) serve()
      })
      if (!head.isHeld) serve()
    },
  }
}
