/** Watches the connections of a listener and cuts those whose client makes no progress. */

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Stopwatch } from '../machine/time.ts'
import type { ConnectionTable } from './connection-table.ts'
import { writeQueueSize } from './undocumented-node.ts'

export interface ConnectionWatch {
  /** Takes note of a request; gives the number of requests under way on its connection. */
  began(request: IncomingMessage, response: ServerResponse): number
  /** The responses that are not over: of one connection, or of all. */
  underWay(socket?: Duplex): ServerResponse[]
}

/** How long a client may leave an answer unread, go on sending after it, or get nothing but refusals. */
const patienceMs = 30_000

/** How long a connection may have no request under way, whatever bytes arrive on it. */
const idleMs = 50_000

const sweepMs = 1000

interface Connection {
  /** One for all responses: V8 may place a function for each among the old objects, where it keeps its response for long. */
  readonly onResponseClose: (this: ServerResponse) => void
  /**
   * The oldest response, and those of pipelined requests. A collection that each request enters and leaves would be copied
   * over and over, and a copy that became old keeps responses in memory until the next full collection.
   */
  current: ServerResponse | undefined
  readonly later: ServerResponse[]
  /** A number that changes whenever the operating system takes bytes of an answer. */
  bytesTaken: number
  takenAt: number
  idleSince: number
  isIdleTooLong: boolean
  refusedSince: number | undefined
  /** A request that was refused or answered before its body arrived whole. */
  answeredEarly: { readonly request: IncomingMessage; readonly at: number } | undefined
}

export interface Watching {
  readonly stopwatch: Stopwatch
  /** How long a client may leave an answer other than a refusal unread, where that is longer than for refusals. */
  readonly readingMs?: number | undefined
  /** Learns which connections are idle. */
  readonly table: ConnectionTable
}

export function watchConnections(
  server: Server,
  { stopwatch, readingMs = 0, table }: Watching,
): ConnectionWatch {
  const unreadMs = Math.max(patienceMs, readingMs)
  const connections = new Map<Duplex, Connection>()
  server.on('connection', (socket) => {
    const connection: Connection = newConnection(stopwatch(), function (this: ServerResponse) {
      noteEnd(connection, this, stopwatch())
      if (connection.current === undefined) table.idle(socket)
    })
    connections.set(socket, connection)
    socket.once('close', () => connections.delete(socket))
  })
  const sweep = () => {
    for (const [socket, connection] of connections) {
      const isUnread = isLeftUnread(socket as Socket, connection, { now: stopwatch(), unreadMs })
      if (isUnread || isLate(connection, stopwatch())) socket.destroy()
    }
  }
  server.once('listening', () => {
    const timer = setInterval(sweep, sweepMs).unref()
    server.once('close', () => clearInterval(timer))
  })
  const all = () => [...connections.values()].flatMap(responsesOf)
  return {
    began(request, response) {
      const { socket } = request
      const connection = connections.get(socket)
      if (connection === undefined) return 0
      const { later, refusedSince } = connection
      if (connection.current === undefined) {
        connection.current = response
        table.busy(socket)
      } else later.push(response)
      connection.isIdleTooLong = false
      // Not `once`, which costs more for each request: a second time would change nothing.
      response.on('close', connection.onResponseClose)
      // The client learns of it by "Connection: close", so no request of its is lost.
      if (refusedSince !== undefined && isOver(refusedSince, stopwatch())) {
        response.shouldKeepAlive = false
      }
      return later.length + 1
    },
    underWay(socket) {
      const connection = socket && connections.get(socket)
      if (connection !== undefined) return responsesOf(connection)
      return socket === undefined ? all() : []
    },
  }
}

function responsesOf({ current, later }: Connection): ServerResponse[] {
  return current === undefined ? [] : [current, ...later]
}

function newConnection(now: number, onResponseClose: Connection['onResponseClose']): Connection {
  return {
    onResponseClose,
    current: undefined,
    later: [],
    bytesTaken: 0,
    takenAt: now,
    idleSince: now,
    isIdleTooLong: false,
    refusedSince: undefined,
    answeredEarly: undefined,
  }
}

function noteEnd(connection: Connection, response: ServerResponse, now: number): void {
  const { req: request, statusCode } = response
  const { current, later } = connection
  if (current === response) connection.current = later.shift()
  else if (later.includes(response)) later.splice(later.indexOf(response), 1)
  connection.idleSince = now
  connection.refusedSince = statusCode < 400 ? undefined : (connection.refusedSince ?? now)
  if (!request.complete) connection.answeredEarly ??= { request, at: now }
}

function isLate(connection: Connection, now: number): boolean {
  return isSendingAfterAnswer(connection, now) || isIdle(connection, now)
}

/** Progress is what the kernel takes, in steps: a client that reads about a kilobyte a second can look as if it read nothing. */
function isLeftUnread(
  socket: Socket,
  connection: Connection,
  { now, unreadMs }: { readonly now: number; readonly unreadMs: number },
): boolean {
  const bytesTaken = takenBy(socket)
  if (socket.writableLength === 0 || bytesTaken !== connection.bytesTaken) {
    connection.bytesTaken = bytesTaken
    connection.takenAt = now
  }
  const isServed = responsesOf(connection).some(isAnswer)
  return now - connection.takenAt >= (isServed ? unreadMs : patienceMs)
}

function isAnswer({ headersSent, statusCode }: ServerResponse): boolean {
  return headersSent && statusCode < 400
}

function isSendingAfterAnswer(connection: Connection, now: number): boolean {
  if (connection.answeredEarly?.request.complete) connection.answeredEarly = undefined
  const refused = responsesOf(connection).find(isRefusedEarly)
  if (refused !== undefined) connection.answeredEarly ??= { request: refused.req, at: now }
  return isOver(connection.answeredEarly?.at, now)
}

function isRefusedEarly({ headersSent, statusCode, req }: ServerResponse): boolean {
  return headersSent && statusCode >= 400 && !req.complete
}

/** The second look is a sweep later, so that a request which is just arriving is not cut. */
function isIdle(connection: Connection, now: number): boolean {
  const wasIdleTooLong = connection.isIdleTooLong
  connection.isIdleTooLong =
    connection.current === undefined && now - connection.idleSince >= idleMs
  return wasIdleTooLong && connection.isIdleTooLong
}

function isOver(since: number | undefined, now: number): boolean {
  return since !== undefined && now - since >= patienceMs
}

/** `writableLength` shrinks only after a whole write; the write queue shrinks with every part of it. */
function takenBy(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength - writeQueueSize(socket)
}
