/** A queue for requests that arrive faster than they can be answered. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Stopwatch } from './limiter.ts'
import type { Serve } from './listener.ts'

export interface RequestQueue {
  /** Serves at once while there is time left in this turn of the event loop; the other requests wait, in their order. */
  through(serve: Serve): Serve
  /** How many requests wait. */
  size(): number
}

export interface QueueOptions {
  /** A request that has waited longer is refused: its client may not wait for the answer any more. */
  readonly longestWaitMs: number
  readonly refuse: (request: IncomingMessage, response: ServerResponse) => void
  /** Called before and after requests are served that arrived at different times. */
  readonly onSlice: () => void
  readonly stopwatch?: Stopwatch
}

/** How much memory all that wait may take together; a client whose request is beyond it loses its connection. */
const mostBytes = 128 * 1024 * 1024
/** Of what Node makes of a request, beside the text of its head. */
const besideText = 4096

interface Waiting {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly serve: Serve
  readonly since: number
  readonly bytes: number
}

/**
 * Node reads and serves requests for as long as there are some, and looks at nothing else meanwhile. Under overload timers and
 * answers of the database come late or never, and each turn of the event loop accepts one new connection at most, so that
 * health checks are not heard. Here requests are read, and served in slices with a turn of the event loop after each.
 */
export function requestQueue({
  longestWaitMs,
  refuse,
  onSlice,
  stopwatch = () => performance.now(),
}: QueueOptions): RequestQueue {
  let waiting: (Waiting | undefined)[] = []
  let begun = 0
  let bytesWaiting = 0
  let sliceEnds = 0
  let isTurnDue = false

  const beginSlice = (now: number): void => {
    sliceEnds = now + sliceFor(now - (waiting[begun]?.since ?? now))
    isTurnDue = true
    setImmediate(endTurn)
    onSlice()
  }
  const endTurn = (): void => {
    isTurnDue = false
    if (begun === waiting.length) return
    beginSlice(stopwatch())
    serveWaiting()
  }
  const serveWaiting = (): void => {
    let now = stopwatch()
    for (let next = takeBy(now); next !== undefined; next = takeBy(now)) {
      serveOne(next, now)
      // Until it is answered or waits for something, it takes time of the slice.
      if (!next.response.writableEnded) {
        queueMicrotask(() => process.nextTick(serveWaiting))
        return
      }
      now = stopwatch()
    }
    onSlice()
  }
  const serveOne = ({ request, response, serve, since }: Waiting, now: number): void => {
    // A client that has closed its connection does not wait for an answer.
    if (response.destroyed) return
    if (now - since > longestWaitMs) refuse(request, response)
    else serve(request, response)
  }
  const takeBy = (now: number): Waiting | undefined => {
    if (now >= sliceEnds) return undefined
    const next = waiting[begun]
    bytesWaiting -= next?.bytes ?? 0
    // What was served would stay in memory with its place in the list, and outlive the young generation.
    waiting[begun] = undefined
    begun += 1
    if (begun >= waiting.length || begun >= mostBegun) {
      waiting = waiting.slice(begun)
      begun = 0
    }
    return next
  }
  const wait = (one: Waiting): void => {
    if (bytesWaiting + one.bytes > mostBytes) {
      one.request.socket.destroy()
      return
    }
    bytesWaiting += one.bytes
    waiting.push(one)
  }
  return {
    size: () => waiting.length - begun,
    through: (serve) => (request, response) => {
      const now = stopwatch()
      const isSliceOver = now >= sliceEnds
      if (waiting.length > begun || (isSliceOver && isTurnDue)) {
        return wait({ request, response, serve, since: now, bytes: bytesOf(request) })
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

/** The longer requests wait already, the fewer connections are accepted: to accept one takes longer than to issue a token. */
function sliceFor(waitMs: number): number {
  return Math.min(20, Math.max(1, waitMs / 50))
}

/** So many requests are begun before the list of those that wait is made anew. */
const mostBegun = 1000
