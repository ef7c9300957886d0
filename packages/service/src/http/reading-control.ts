/**
 * Leaves connections unread while the flow that they belong to has enough requests waiting. To read a request takes up to half
 * as long as to serve it, and one turn of the event loop reads all connections: two thousand with 32 requests each take seconds.
 */

import type { Duplex } from 'node:stream'
import { Fifo, FlowTable } from '../limits/turn-queue.ts'
import type { Stopwatch } from '../machine/time.ts'
import type { UnreadSockets } from './unread-sockets.ts'

/** The bounds of one flow: more requests, or more bytes of their heads, stay in the operating system. */
const maxWaiting = 256
const maxBytes = 1024 * 1024

/** How much memory all that wait may take: of this, one flow may take a tenth, and flows that take much four fifths. */
const maxBytesInAll = 160 * 1024 * 1024
/** A flow that has no more than this finds a place, even if others have filled theirs. */
const largeBytes = 256 * 1024

/** A request that is read so soon after its connection was left unread has waited there. */
const justNowMs = 20

interface Flow {
  readonly key: string
  readonly connections: Set<OwnReader>
  /** The connections that are not read, in the order in which they will be. */
  readonly held: Fifo<OwnReader>
  waiting: number
  bytes: number
  /** The bytes of pipelined requests, in the queue or after it. */
  keptBytes: number
  /** Connections that are read again since the last turn, and how many requests one of them brings. */
  resumed: number
  resumedIn: number
  burst: number
}

/** Which requests come before which. */
export type Lane = 'first' | 'usual' | 'limited'

export interface Reader {
  readonly socket: Duplex
  readonly flow: { readonly key: string }
  /** The lane of its last request that had to wait. */
  lane: Lane
  /** Its requests that wait. */
  waiting: number
}

interface OwnReader extends Reader {
  flow: Flow
  /**
   * The flow that it left with the first of its requests that wait. They count there, too: connections that would bring more
   * such requests are still in that flow.
   */
  previous: Flow | undefined
  /** The bytes of its requests that wait. */
  bytes: number
  isHeld: boolean
  heldAt: number
  resumedAt: number
}

export interface ReadingOptions {
  readonly stopwatch: Stopwatch
  readonly unread: UnreadSockets
  /** A small heap has no room for the usual bound. */
  readonly maxBytes?: number | undefined
  /** Whether the body of a request is under way on a connection, which is read for it. */
  readonly isReceiving: (socket: Duplex) => boolean
}

export interface ReadingControl {
  /** A connection that may be left unread; its flow is that of its address until a request belongs to another. */
  opened(socket: Duplex, flow: string): void
  closed(socket: Duplex): void
  /** Undefined for a connection that is always read. */
  readerOf(socket: Duplex): Reader | undefined
  /** Whether one more request of a flow may wait; those of a connection that is always read have this bound alone. */
  hasPlace(flow: string, bytes: number): boolean
  /** A request waits now; gives for how long it has waited unread, at most. */
  arrived(socket: Duplex, flow: string, bytes: number, now: number): number
  /** A request waits no more; whether its body is still to be read. */
  left(socket: Duplex, flow: string, bytes: number, hasMore: boolean): void
  /** A pipelined request is kept until the response before it is out. It counts for `hasPlace` alone. */
  kept(flow: string, bytes: number): void
  freed(flow: string, bytes: number): void
  /** The event loop has turned. */
  turned(): void
}

export function readingControl({
  stopwatch,
  unread,
  maxBytes: ownMaxBytes = maxBytesInAll,
  isReceiving,
}: ReadingOptions): ReadingControl {
  const maxTotal = Math.min(maxBytesInAll, ownMaxBytes)
  const flows = new FlowTable(newFlow, isUnused)
  const readers = new Map<Duplex, OwnReader>()
  let bytesWaiting = 0
  let turn = 0
  let isResuming = false
  /** Flows with held connections and no request that would have them read when it leaves. */
  const silent = new Set<Flow>()

  const release = (flow: Flow): void => {
    if (!isUnused(flow) || flow.held.size === 0) return
    // All these are closed, or belong to another flow.
    flow.held.clear()
    silent.delete(flow)
  }
  const move = (reader: OwnReader, to: Flow): void => {
    const from = reader.flow
    if (from === to) return
    from.connections.delete(reader)
    to.connections.add(reader)
    reader.flow = to
    reader.previous = from
    if (reader.isHeld) to.held.push(reader)
    release(from)
  }
  const hold = (reader: OwnReader): void => {
    if (reader.isHeld || !readers.has(reader.socket)) return
    reader.isHeld = true
    reader.heldAt = stopwatch()
    reader.flow.held.push(reader)
    unread.hold(reader.socket, 'flow')
  }
  const resume = (reader: OwnReader): void => {
    Object.assign(reader, { isHeld: false, resumedAt: stopwatch() })
    unread.release(reader.socket, 'flow')
  }
  const resumeSome = (flow: Flow): void => {
    if (flow.resumedIn !== turn) Object.assign(flow, { resumedIn: turn, resumed: 0 })
    while (flow.held.size > 0 && hasRoom(flow)) {
      const reader = flow.held.shift()
      // It may have been closed since, or read again for the body of a request, or have left.
      if (!reader?.isHeld || reader.flow !== flow || !readers.has(reader.socket)) continue
      // Once in a turn: the requests of a turn come together, and tell only then whether the guess was too low.
      if (flow.resumed === 0) flow.burst = Math.max(1, flow.burst - 1)
      flow.resumed += 1
      resume(reader)
    }
    if (flow.held.size === 0 || flow.waiting > 0) silent.delete(flow)
    else resumeLater(flow)
  }
  const resumeLater = (flow: Flow): void => {
    silent.add(flow)
    if (isResuming) return
    isResuming = true
    setImmediate(() => {
      isResuming = false
      turn += 1
      for (const one of [...silent]) resumeSome(one)
    })
  }
  const join = (flow: Flow, bytes: number): void => {
    flow.waiting += 1
    flow.bytes += bytes
  }
  const holdIfFull = (flow: Flow, burst: number): void => {
    flow.burst = Math.max(flow.burst, burst)
    if (!isFull(flow) || flow.held.size > 0) return
    for (const other of flow.connections) if (!isReceiving(other.socket)) hold(other)
  }
  const leave = (flow: Flow, requests: number, bytes: number): void => {
    flow.waiting -= requests
    flow.bytes -= bytes
    if (flow.held.size > 0) resumeSome(flow)
    release(flow)
  }

  return {
    readerOf: (socket) => readers.get(socket),
    opened(socket, key) {
      const flow = flows.get(key)
      const reader: OwnReader = {
        ...{ socket, flow, previous: undefined, lane: 'usual', waiting: 0, bytes: 0 },
        ...{ isHeld: false, heldAt: -Infinity, resumedAt: -Infinity },
      }
      readers.set(socket, reader)
      flow.connections.add(reader)
      if (flow.held.size > 0 && isFull(flow)) hold(reader)
    },
    closed(socket) {
      const reader = readers.get(socket)
      if (reader === undefined) return
      readers.delete(socket)
      reader.flow.connections.delete(reader)
      release(reader.flow)
      if (reader.previous !== undefined) leave(reader.previous, reader.waiting, reader.bytes)
    },
    hasPlace(key, bytes) {
      const flow = flows.find(key)
      const ofFlow = (flow?.bytes ?? 0) + (flow?.keptBytes ?? 0) + bytes
      const inAll = bytesWaiting + bytes
      if (inAll > maxTotal) return false
      return ofFlow <= largeBytes || (ofFlow <= maxTotal / 10 && inAll <= maxTotal * 0.8)
    },
    arrived(socket, key, bytes, now) {
      const flow = flows.get(key)
      bytesWaiting += bytes
      join(flow, bytes)
      const reader = readers.get(socket)
      if (reader === undefined) return 0
      move(reader, flow)
      reader.waiting += 1
      reader.bytes += bytes
      const unreadMs = now - reader.resumedAt < justNowMs ? reader.resumedAt - reader.heldAt : 0
      holdIfFull(flow, reader.waiting)
      if (isFull(flow) || flow.held.size > 0) hold(reader)
      if (reader.previous !== undefined) {
        join(reader.previous, bytes)
        holdIfFull(reader.previous, reader.waiting)
      }
      return unreadMs
    },
    left(socket, key, bytes, hasMore) {
      bytesWaiting -= bytes
      const reader = readers.get(socket)
      if (reader !== undefined) {
        reader.waiting -= 1
        reader.bytes -= bytes
        if (reader.isHeld && hasMore) resume(reader)
        if (reader.previous !== undefined) leave(reader.previous, 1, bytes)
        if (reader.waiting === 0) reader.previous = undefined
      }
      leave(flows.get(key), 1, bytes)
    },
    kept(key, bytes) {
      bytesWaiting += bytes
      flows.get(key).keptBytes += bytes
    },
    freed(key, bytes) {
      bytesWaiting -= bytes
      flows.get(key).keptBytes -= bytes
    },
    turned() {
      turn += 1
    },
  }
}

function newFlow(key: string): Flow {
  const counts = { waiting: 0, bytes: 0, keptBytes: 0, resumed: 0, resumedIn: 0, burst: 1 }
  return { key, connections: new Set(), held: new Fifo(), ...counts }
}

function isUnused({ waiting, keptBytes, connections }: Flow): boolean {
  return waiting === 0 && keptBytes === 0 && connections.size === 0
}

function isFull({ waiting, bytes }: Flow): boolean {
  return waiting >= maxWaiting || bytes >= maxBytes
}

/** Also for what the connections will bring that are read again in this turn. */
function hasRoom({ waiting, bytes, resumed, burst }: Flow): boolean {
  return waiting + (resumed + 1) * burst <= maxWaiting && bytes < maxBytes
}
