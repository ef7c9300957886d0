/** Shares the connections of a listener among the addresses that open them. */

import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import v8 from 'node:v8'
import { networkOf } from './addresses.ts'

export interface ConnectionLimits {
  readonly maxConnections: number
  /** A proxy has connections of many clients, so it has no share of its own, and is the last to lose one. */
  readonly isProxy: (address: string) => boolean
}

export interface ConnectionTable {
  /** Called when a connection without a request gets one. */
  busy(socket: Duplex): void
  /** Called when the last request of a connection is over. */
  idle(socket: Duplex): void
}

/** One address, or one IPv6 /64. */
interface Peer {
  readonly network: string
  readonly isProxy: boolean
  readonly idle: Line
  readonly busy: Line
}

interface Place {
  readonly socket: Duplex
  readonly peer: Peer
  line: Line
  previous: Place | undefined
  next: Place | undefined
}

/**
 * Connections in the order in which they came into it. Each request moves its connection twice: a Set would be made anew over
 * and over for that.
 */
class Line {
  size = 0
  first: Place | undefined
  #last: Place | undefined

  append(place: Place): void {
    this.size += 1
    place.line = this
    place.previous = this.#last
    if (this.#last === undefined) this.first = place
    else this.#last.next = place
    this.#last = place
  }

  remove(place: Place): void {
    const { previous, next } = place
    this.size -= 1
    if (previous === undefined) this.first = next
    else previous.next = next
    if (next === undefined) this.#last = previous
    else next.previous = previous
    place.previous = undefined
    place.next = undefined
  }
}

/**
 * When all connections are taken, the address with the most loses the one that has been idle for longest. If it has no idle
 * one, an address with fewer still gets in: the largest loses the one whose request has been under way for longest.
 * So an address with many connections never displaces one with few.
 */
export function connectionTable(
  server: Server,
  { maxConnections, isProxy }: ConnectionLimits,
): ConnectionTable {
  const maxOfPeer = maxConnections > 100 ? Math.floor(maxConnections / 4) : maxConnections
  const peers = new Map<string, Peer>()
  const places = new Map<Duplex, Place>()
  const clients = new Ranking()
  const proxies = new Ranking()
  const rankingOf = (peer: Peer) => (peer.isProxy ? proxies : clients)

  const add = (socket: Socket): Peer => {
    const address = socket.remoteAddress ?? ''
    const network = networkOf(address)
    const peer = peers.get(network) ?? newPeer(network, isProxy(address))
    peers.set(network, peer)
    const place = { socket, peer, line: peer.idle, previous: undefined, next: undefined }
    peer.idle.append(place)
    places.set(socket, place)
    rankingOf(peer).move(peer, sizeOf(peer) - 1)
    return peer
  }
  const remove = (socket: Duplex): void => {
    const place = places.get(socket)
    if (place === undefined) return
    const { peer } = place
    const before = sizeOf(peer)
    places.delete(socket)
    place.line.remove(place)
    rankingOf(peer).move(peer, before)
    if (before === 1) peers.delete(peer.network)
  }
  // The table must not count a connection until Node reports its end: the next newcomer may come before.
  const end = (socket: Duplex): void => {
    remove(socket)
    socket.destroy()
  }

  /** The newcomer itself may be the one that has to go. */
  const oneToEnd = (newcomer: Duplex, own: Peer): Duplex => {
    const largest = clients.largest()
    const isLarger = largest !== undefined && (largest !== own || sizeOf(own) > 1)
    const loser = isLarger ? largest : proxies.largest()
    const idle = loser?.idle.first?.socket
    if (idle !== undefined && idle !== newcomer) return idle
    const hasFewer = loser && !loser.isProxy && (own.isProxy || sizeOf(own) < sizeOf(loser))
    return (hasFewer ? loser.busy.first?.socket : undefined) ?? newcomer
  }

  server.on('connection', (socket) => {
    const peer = add(socket)
    socket.once('close', () => remove(socket))
    const isOverShare = !peer.isProxy && sizeOf(peer) > maxOfPeer
    if (isOverShare) return end(peer.idle.first?.socket ?? socket)
    if (places.size > maxConnections) end(oneToEnd(socket, peer))
  })
  const move = (socket: Duplex, from: 'idle' | 'busy', to: 'idle' | 'busy'): void => {
    const place = places.get(socket)
    if (place === undefined || place.line !== place.peer[from]) return
    place.line.remove(place)
    place.peer[to].append(place)
  }
  return {
    busy: (socket) => move(socket, 'idle', 'busy'),
    idle: (socket) => move(socket, 'busy', 'idle'),
  }
}

function newPeer(network: string, isProxy: boolean): Peer {
  return { network, isProxy, idle: new Line(), busy: new Line() }
}

function sizeOf({ idle, busy }: Peer): number {
  return idle.size + busy.size
}

/** Finds the peer with the most connections without a search: sizes change by one. */
class Ranking {
  readonly #bySize = new Map<number, Set<Peer>>()
  #max = 0

  /** Called after the size of a peer has changed from `before`. */
  move(peer: Peer, before: number): void {
    const now = sizeOf(peer)
    const former = this.#bySize.get(before)
    former?.delete(peer)
    if (former?.size === 0) this.#bySize.delete(before)
    if (now > 0) this.#ofSize(now).add(peer)
    if (now > this.#max || !this.#bySize.has(this.#max)) this.#max = now
  }

  largest(): Peer | undefined {
    const largest = this.#bySize.get(this.#max)
    return largest?.values().next().value
  }

  #ofSize(size: number): Set<Peer> {
    const peers = this.#bySize.get(size) ?? new Set()
    this.#bySize.set(size, peers)
    return peers
  }
}

/** Files that a process needs beside its connections. */
const reservedFiles = 128

/**
 * The operating system refuses connections beyond the number of files that a process may open, whoever has the others.
 * A request may need one more file: of an upload, or the connection to an upstream.
 */
export function connectionsWithinFiles(connections: number): number {
  const files = maxOpenFiles()
  return Math.min(connections, Math.max(1, Math.floor((files - reservedFiles) / 2)))
}

/** V8 keeps this much of the heap for new objects; the head of a slow request soon becomes an old one. */
const youngBytes = 96 * 1024 * 1024
/** A connection and its parser take so much. */
const connectionBytes = 16 * 1024

/**
 * So many that half of the free heap has room for them, when each has a request under way whose head has `headBytes`, and has
 * sent as much of the next head and not its end.
 */
export function connectionsWithinHeap(
  connections: number,
  headBytes: number,
  heap = v8.getHeapStatistics(),
): number {
  const most = Math.floor(freeBytes(heap) / 2 / (2 * headBytes + connectionBytes))
  return Math.min(connections, Math.max(minConnections, most))
}

/** The heads of requests that wait may take a quarter of the free heap. */
export function waitingBytesWithinHeap(heap = v8.getHeapStatistics()): number {
  return Math.max(minWaitingBytes, Math.floor(freeBytes(heap) / 4))
}

function freeBytes({ heap_size_limit: limit, used_heap_size: used }: v8.HeapInfo): number {
  return limit - youngBytes - used
}

const minConnections = 64
const minWaitingBytes = 8 * 1024 * 1024

/** Node has raised the soft limit to the hard one. Infinity where the system does not say. */
function maxOpenFiles(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Infinity)
  } catch {
    return Infinity
  }
}
