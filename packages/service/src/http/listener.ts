/** A listening socket with limits on everything a client can make it wait for or hold. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { answerRefusal, type Refusal } from '@latchkey/protocol'
import { newId, type RandomBytes } from '../machine/random.ts'
import type { Stopwatch } from '../machine/time.ts'
import { addressMatcher, allowedHosts, clientAddress, networkOf } from './addresses.ts'
import type { Serve } from './call.ts'
import { closeServer, endWith, letGo } from './close-server.ts'
import {
  connectionsWithinFiles,
  connectionsWithinHeap,
  connectionTable,
  waitingBytesWithinHeap,
} from './connection-table.ts'
import { watchConnections } from './connection-watch.ts'
import { pipelining } from './pipelining.ts'
import { openPort } from './port.ts'
import {
  expectationRefusal,
  isHealthCheck,
  misdirectedRequest,
  rawAnswer,
  stoppingRefusal,
  unreadableRefusal,
  unservableRefusal,
} from './refusals.ts'
import { type QueueOptions, requestQueue } from './request-queue.ts'
import { endAfterRequest } from './response-end.ts'
import { unreadSockets } from './unread-sockets.ts'

/** The queue that a listener with `queue` has. */
export { requestQueue }

export interface ListenerOptions {
  /** The name of the service in refusals: `hub`. */
  readonly name: string
  readonly host: string
  readonly port: number
  /** The flag that chooses the port. */
  readonly portFlag?: string
  readonly connections: number
  /** Their connections are of many clients, whom `X-Forwarded-For` names. */
  readonly trustedProxies?: readonly string[]
  /** The host names that are answered, beside loopback ones and this machine's addresses; `*` is every name. */
  readonly hosts: readonly string[]
  readonly randomBytes: RandomBytes
  readonly serve: Serve
  /** Serves instead what asks before it sends its body; without it everyone is told to go on. */
  readonly serveContinue?: Serve
  /** The answer to methods that Node's parser does not know, and to CONNECT. */
  readonly unknownMethod: Refusal
  /** For a request to arrive whole; 0 is no limit. */
  readonly requestTimeoutMs?: number
  /** How long a client may leave an answer other than a refusal unread. */
  readonly readingMs?: number
  /** For a connection on which nothing moves; 0 is no limit. */
  readonly idleTimeoutMs?: number
  /** Whether `/healthz` and `/readyz` are served here: they go first then, whatever host name they are asked under. */
  readonly servesHealth?: boolean
  /** For a listener that refuses what it cannot answer in time; others let it wait. */
  readonly queue?: ListenerQueue
  /** Measures how long a client makes no progress. */
  readonly stopwatch?: Stopwatch
}

export interface ListenerQueue extends Pick<QueueOptions, 'isLimited'> {
  /** For a request to wait for its turn; it is refused then. */
  readonly maxWaitMs: number
  /** The account of a request where it is known already: it takes turns with the others, wherever its requests come from. */
  readonly accountOf?: (request: IncomingMessage) => string | undefined
  /**
   * Requests that go before others, in addition to health checks. Called only for requests that
   * have to wait.
   */
  readonly goesFirst: (request: IncomingMessage) => boolean
  /** Keeps the connection: to accept a new one takes longer than to refuse a request. */
  readonly refuse: Serve
  readonly onSlice: () => void
}

export interface Listener {
  readonly url: string
  /** How many requests wait for their turn. */
  waiting(): number
  /** In-flight requests finish, new ones are refused; after the deadline the rest is cut. */
  stop(deadlineSeconds: number): Promise<void>
}

/** The specification lets a credential have 64000 characters; the other headers get the rest. */
const maxHeaderSize = 96 * 1024

/** A client that sends more without reading an answer is not waiting for any. */
const maxPipelined = 32

/** Connections that are ended and not closed yet. */
const maxClosing = 100

const limits = {
  maxHeaderSize,
  keepAliveTimeout: 45_000,
  connectionsCheckingInterval: 5_000,
  // Checked by `unservable`, which gives a body to the refusal.
  requireHostHeader: false,
  noDelay: true,
}

export async function listen(options: ListenerOptions): Promise<Listener> {
  const { name, connections, randomBytes, serve, serveContinue, unknownMethod } = options
  const answersTo = allowedHosts(options.hosts)
  const isHealth = options.servesHealth ? isHealthCheck : () => false
  const isProxy = addressMatcher(options.trustedProxies ?? [])
  const unread = unreadSockets()
  const queue = requestQueue({
    ...queueOptionsOf(options),
    goesFirst: (request) => isHealth(request) || options.queue?.goesFirst(request) === true,
    unread,
    maxBytes: waitingBytesWithinHeap(),
    isReceiving: (socket) => watch.underWay(socket).some(({ req }) => !req.complete),
  })
  const pipelined = pipelining({ queue, unread })
  let isStopping = false
  const refusalOf = (request: IncomingMessage) => {
    const isMeant = answersTo(request) || isHealth(request)
    return unservableRefusal(request, name) ?? (isMeant ? undefined : misdirectedRequest(name))
  }
  const bounded =
    (next: Serve): Serve =>
    (request, response) => {
      const count = watch.began(request, response)
      if (count > maxPipelined) return request.socket.destroy()
      const before = count > 1 ? watch.underWay(request.socket).at(-2) : undefined
      if (before === undefined) return next(request, response)
      return pipelined.serveBehind(before, response, () => next(request, response))
    }
  const through = (next: Serve): Serve => {
    const inTurn = queue.through(next)
    return bounded((request, response) => {
      const refusal = isStopping ? stoppingRefusal(name) : refusalOf(request)
      if (refusal !== undefined) return turnAway(response, refusal, newId(randomBytes))
      return inTurn(request, response)
    })
  }
  const server = createServer({ ...limits, ...timeoutsOf(options) }, through(serve))
  const maxConnections = connectionsWithinHeap(connectionsWithinFiles(connections), maxHeaderSize)
  const table = connectionTable(server, { maxConnections, isProxy })
  const watch = watchConnections(server, {
    stopwatch: options.stopwatch ?? (() => performance.now()),
    readingMs: options.readingMs,
    table,
  })
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? ''
    // Requests of other clients may follow on it.
    if (isProxy(address)) return
    queue.opened(socket, networkOf(address))
    socket.once('close', () => queue.closed(socket))
  })
  if (serveContinue !== undefined) server.on('checkContinue', through(serveContinue))
  // The table ends one connection for each beyond the limit; Node counts it until it is closed.
  server.maxConnections = maxConnections + maxClosing
  server.maxHeadersCount = 200
  server.timeout = options.idleTimeoutMs ?? 120_000
  server.on(
    'checkExpectation',
    bounded((_request, response) =>
      turnAway(response, expectationRefusal(name), newId(randomBytes)),
    ),
  )
  const leaving = new Set<Duplex>()
  server.on('connect', (_request, socket) => {
    // Node takes its own error listener off a socket that it hands over, and forgets what was asked on it before.
    socket.on('error', () => socket.destroy())
    const before = watch.underWay(socket)
    socket.once('close', () => {
      for (const response of before) if (!response.closed) response.emit('close')
    })
    endWith(socket, rawAnswer(unknownMethod, newId(randomBytes)), leaving)
  })
  server.on('clientError', (error, socket) => {
    const isGone = !socket.writable || ('code' in error && error.code === 'ECONNRESET')
    const own = watch.underWay(socket)
    // In the middle of an answer another one would be taken for a part of it.
    if (isGone || own.some(isHalfSent)) return socket.destroy()
    if (leaving.has(socket)) return undefined
    // The client may have sent the rest of this head long ago. If it has not, the connection is closed when it is idle.
    if (isLateHead(error) && pipelined.isHeld(socket) && own.every(isReadWhole)) return undefined
    letGo(socket, leaving)
    const answer = () =>
      endWith(
        socket,
        rawAnswer(unreadableRefusal(error, unknownMethod), newId(randomBytes)),
        leaving,
      )
    // What was asked before on this connection is answered before.
    const before = own.findLast(({ req }) => req.complete)
    return before === undefined ? answer() : before.once('finish', answer)
  })
  await openPort(server, options)
  return {
    url: urlOf(server),
    waiting: queue.size,
    async stop(deadlineSeconds) {
      isStopping = true
      for (const response of watch.underWay()) {
        response.shouldKeepAlive = false
        // Who was promised to keep the connection, before, is not waited for either.
        response.once('close', () => setImmediate(() => server.closeIdleConnections()))
      }
      await closeServer(server, deadlineSeconds, leaving)
    },
  }
}

function queueOptionsOf({ queue, trustedProxies = [] }: ListenerOptions): QueueOptions {
  const addressOf = clientAddress(trustedProxies)
  const ofAddress = (request: IncomingMessage) => networkOf(addressOf(request))
  if (queue === undefined) {
    return { maxWaitMs: Infinity, flowOf: ofAddress, refuse() {}, onSlice() {} }
  }
  const { accountOf } = queue
  return { ...queue, flowOf: (request) => accountOf?.(request) ?? ofAddress(request) }
}

/** Headers get at most as long as the whole request, which Node insists on. */
function timeoutsOf({ requestTimeoutMs = 30_000 }: ListenerOptions) {
  const headersTimeout = Math.min(15_000, requestTimeoutMs === 0 ? Infinity : requestTimeoutMs)
  return { headersTimeout, requestTimeout: requestTimeoutMs }
}

/** Whether what could not be read belongs to a request whose answer has begun. */
function isHalfSent({ req, headersSent, writableFinished }: ServerResponse): boolean {
  return !req.complete && headersSent && !writableFinished
}

function isReadWhole({ req }: ServerResponse): boolean {
  return req.complete
}

function isLateHead(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
}

function turnAway(response: ServerResponse, refusal: Refusal, requestId: string): void {
  response.shouldKeepAlive = false
  answerWith(response, refusal, requestId)
}

function answerWith(response: ServerResponse, refusal: Refusal, requestId: string): void {
  const { status, headers, body } = answerRefusal(refusal, { requestId })
  response.writeHead(status, [...headers])
  endAfterRequest(response.req, response, body)
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
