/** A queue for requests that arrive faster than they can be answered. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { TurnQueue } from '../limits/turn-queue.ts'
import type { Stopwatch } from '../machine/time.ts'
import type { Serve } from './call.ts'
import { type Lane, type ReadingControl, readingControl } from './reading-control.ts'
import { type UnreadSockets, unreadSockets } from './unread-sockets.ts'

export interface RequestQueue
  extends Pick<ReadingControl, 'opened' | 'closed' | 'hasPlace' | 'kept' | 'freed'> {
  flowOf(request: IncomingMessage): string
  /** The memory that the head of a request takes. */
  bytesOf(request: IncomingMessage): number
  /** Serves at once while there is time left in this turn of the event loop; the other requests wait for their turn. */
  through(serve: Serve): Serve
  /** How many requests wait. */
  size(): number
}

export interface QueueOptions {
  /** A request that has waited longer is refused: its client may not wait for the answer any more. */
  readonly maxWaitMs: number
  /** The flow of a request: flows are served in turn. */
  readonly flowOf: (request: IncomingMessage) => string
  /** Whether the request comes after all others, in the little time that is set aside for such requests. */
  readonly isLimited?: ((request: IncomingMessage) => boolean) | undefined
  /** Whether the request comes before all others, in the time that such requests get in each turn of the event loop. */
  readonly goesFirst?: ((request: IncomingMessage) => boolean) | undefined
  readonly refuse: (request: IncomingMessage, response: ServerResponse) => void
  /** Called before and after requests are served that arrived at different times. */
  readonly onSlice: () => void
  /** Whether the body of a request is under way on a connection. */
  readonly isReceiving?: ((socket: Duplex) => boolean) | undefined
  readonly stopwatch?: Stopwatch
  readonly unread?: UnreadSockets
  /** How many bytes of heads may wait, where the heap has less room than usual. */
  readonly maxBytes?: number
}

/** Bytes that Node allocates for a request in addition to the text of its head. */
const besideText = 4096

/** Limited requests get so much time, and then none for the pause. */
const limitedMs = 0.25
const limitedPauseMs = 2

/** Requests that go first get this part of the time, and a whole slice for the others follows. */
const firstShare = 1 / 4
const minFirstMs = 0.25
const maxFirstMs = 5

interface Waiting {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly serve: Serve
  readonly flow: string
  readonly since: number
  /** How long it may have waited before it was read. */
  readonly unreadMs: number
  readonly bytes: number
}

/**
 * Node reads and serves requests for as long as there are some, and looks at nothing else meanwhile. Under overload timers and
 * answers of the database come late or never, and each turn of the event loop accepts one new connection at most, so that
 * health checks are not heard. Here requests are read, and served in slices with a turn of the event loop after each.
 */
export function requestQueue({
  maxWaitMs,
  flowOf,
  isLimited = () => false,
  goesFirst = () => false,
  refuse,
  onSlice,
  isReceiving = () => false,
  stopwatch = () => performance.now(),
  unread = unreadSockets(),
  maxBytes,
}: QueueOptions): RequestQueue {
  const first = new TurnQueue<Waiting>()
  const usual = new TurnQueue<Waiting>()
  const limited = new TurnQueue<Waiting>()
  const lanes = { first, usual, limited }
  const reading = readingControl({ stopwatch, unread, maxBytes, isReceiving })
  let turnBegan = 0
  let sliceBegan = 0
  let sliceEnds = 0
  let firstMs = minFirstMs
  /** Undefined until the first of them is taken, 0 once their time is over. */
  let firstEnds: number | undefined = 0
  let isTurnDue = false
  let isLimitedDue = false

  const beginSlice = (now: number): void => {
    turnBegan = now
    sliceBegan = now
    sliceEnds = now + minSliceMs
    isTurnDue = true
    setImmediate(endTurn)
    reading.turned()
    onSlice()
  }
  const endTurn = (): void => {
    isTurnDue = false
    if (!isAnyDue()) return
    const now = stopwatch()
    firstMs = Math.min(maxFirstMs, Math.max(minFirstMs, (now - turnBegan) * firstShare))
    firstEnds = undefined
    beginSlice(now)
    serveFrom(takeDue)
  }
  const isAnyDue = () => first.size > 0 || usual.size > 0
  const takeDue = (now: number): Waiting | undefined => takeFirst(now) ?? takeUsual(now)
  const takeFirst = (now: number): Waiting | undefined => {
    // However long the turn takes, one of them is served in it.
    firstEnds ??= now + firstMs
    if (firstEnds === 0) return undefined
    const next = now < firstEnds ? first.take() : undefined
    if (next !== undefined) return next
    firstEnds = 0
    sliceBegan = now
    sliceEnds = now + minSliceMs
    return undefined
  }
  const takeUsual = (now: number): Waiting | undefined => {
    const next = now < sliceEnds ? usual.take() : undefined
    if (next !== undefined) sliceEnds = Math.max(sliceEnds, sliceBegan + sliceFor(now - next.since))
    return next
  }
  const serveLimited = (): void => {
    const ends = stopwatch() + limitedMs
    onSlice()
    serveFrom((now) => (now < ends ? limited.take() : undefined))
    isLimitedDue = false
    if (limited.size > 0) serveLimitedLater()
  }
  const serveLimitedLater = (): void => {
    if (isLimitedDue) return
    isLimitedDue = true
    setTimeout(serveLimited, limitedPauseMs)
  }
  const serveFrom = (take: (now: number) => Waiting | undefined): void => {
    let now = stopwatch()
    for (let next = take(now); next !== undefined; next = take(now)) {
      serveOne(next, now)
      // Until it is answered or waits for something, it takes time of the slice.
      if (!next.response.writableEnded) {
        queueMicrotask(() => process.nextTick(serveFrom, take))
        return
      }
      now = stopwatch()
    }
    onSlice()
  }
  const serveOne = (one: Waiting, now: number): void => {
    const { request, response, serve, since, unreadMs } = one
    reading.left(request.socket, one.flow, one.bytes, !request.complete)
    // A client that has closed its connection does not wait for an answer.
    if (response.destroyed) return
    if (now - since + unreadMs > maxWaitMs) refuse(request, response)
    else serve(request, response)
  }
  const wait = (
    request: IncomingMessage,
    response: ServerResponse,
    serve: Serve,
    now: number,
  ): void => {
    const { socket } = request
    const reader = reading.readerOf(socket)
    // Requests of one connection are served in their order.
    const isBehind = reader !== undefined && reader.waiting > 0
    const flow = isBehind ? reader.flow.key : flowOf(request)
    const lane = isBehind ? reader.lane : laneOf(request)
    const bytes = bytesOf(request)
    if (!reading.hasPlace(flow, bytes)) {
      socket.destroy()
      return
    }
    if (reader !== undefined) reader.lane = lane
    const unreadMs = reading.arrived(socket, flow, bytes, now)
    const one = { request, response, serve, flow, since: now, unreadMs, bytes }
    lanes[lane].push(flow, one)
    if (lane === 'limited') serveLimitedLater()
  }
  const laneOf = (request: IncomingMessage): Lane => {
    if (isLimited(request)) return 'limited'
    return goesFirst(request) ? 'first' : 'usual'
  }
  return {
    ...reading,
    flowOf,
    bytesOf,
    size: () => first.size + usual.size + limited.size,
    through: (serve) => (request, response) => {
      const now = stopwatch()
      const isSliceOver = now >= sliceEnds
      const isBusy = isAnyDue() || (isSliceOver && isTurnDue)
      if (isBusy || reading.readerOf(request.socket)?.lane === 'limited') {
        wait(request, response, serve, now)
        if (isAnyDue() && !isTurnDue) beginSlice(now)
        return
      }
      // At most one more turn for each slice, however few requests there are.
      if (isSliceOver) beginSlice(now)
      serve(request, response)
    },
  }
}

function bytesOf({ rawHeaders, url = '' }: IncomingMessage): number {
  return rawHeaders.reduce((bytes, text) => bytes + text.length, url.length + besideText)
}

const minSliceMs = 1

/** The longer requests wait already, the fewer connections are accepted: to accept one takes longer than to issue a token. */
function sliceFor(waitMs: number): number {
  return Math.min(20, Math.max(minSliceMs, waitMs / 50))
}
