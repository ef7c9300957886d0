/** Connections that join the flow of an account with their first request do not fill it all at once. */

import { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'
import { beforeEach, expect, test } from 'vitest'
import { type ReadingControl, readingControl } from '../src/http/reading-control.ts'
import { unreadSockets } from '../src/http/unread-sockets.ts'

const burst = 8
const bytes = 100
/** The bound of one flow, and what connections bring beyond the guess of how much they would. */
const maxWaiting = 256 + 5 * burst

class FakeSocket extends EventEmitter {
  isRead = true
  bursts = 0

  pause() {
    this.isRead = false
  }

  resume() {
    this.isRead = true
  }
}

/** The methods that are called; a fake socket takes the place of a real one. */
function asDuplex(socket: FakeSocket): Duplex {
  return socket as unknown as Duplex
}

let reading: ReadingControl
let waiting: { readonly socket: FakeSocket; readonly account: string }[]

beforeEach(() => {
  reading = readingControl({
    stopwatch: () => 0,
    unread: unreadSockets(),
    isReceiving: () => false,
  })
  waiting = []
})

function open(count: number, address: string): FakeSocket[] {
  const sockets = Array.from({ length: count }, () => new FakeSocket())
  for (const socket of sockets) reading.opened(asDuplex(socket), address)
  return sockets
}

/** The hub reads what each of these connections has sent, unless it leaves the connection unread. */
function readBursts(sockets: readonly FakeSocket[], account: string): void {
  for (const socket of sockets) {
    if (!socket.isRead) continue
    socket.bursts += 1
    for (let left = burst; left > 0; left -= 1) {
      reading.arrived(asDuplex(socket), account, bytes, 1000)
      waiting.push({ socket, account })
    }
  }
}

function serve(count: number): void {
  for (const { socket, account } of waiting.splice(0, count)) {
    reading.left(asDuplex(socket), account, bytes, false)
  }
  reading.turned()
}

const readCount = (sockets: readonly FakeSocket[]) => sockets.filter(({ isRead }) => isRead).length

test('new connections of an address are left unread while the first requests of others fill an account', () => {
  const crowd = open(2000, 'here')
  const neighbours = open(3, 'elsewhere')
  readBursts(crowd, 'account')
  expect(waiting.length).toBeLessThanOrEqual(maxWaiting)
  const late = open(10, 'here')
  expect([readCount(crowd), readCount(late), readCount(neighbours)]).toEqual([0, 0, 3])
})

test('a client behind the same address is read after the connections before its own, though the account stays full', () => {
  const crowd = open(500, 'here')
  const [innocent] = open(1, 'here')
  readBursts(crowd, 'account')
  let turns = 0
  for (; innocent?.isRead !== true && turns < 1000; turns += 1) {
    serve(20)
    readBursts(crowd, 'account')
    expect(waiting.length).toBeLessThanOrEqual(2 * maxWaiting)
  }
  expect(crowd.every(({ bursts }) => bursts > 0)).toBe(true)
  // In the time in which one burst of each of them is served, and the requests that waited already.
  expect(turns * 20).toBeLessThanOrEqual(500 * burst + 2 * maxWaiting)
})

test('new connections are read again when the others close before their requests are served', async () => {
  const crowd = open(500, 'here')
  readBursts(crowd, 'account')
  const rest = crowd.filter(({ bursts }) => bursts === 0)
  for (const { socket } of waiting) reading.closed(asDuplex(socket))
  expect(readCount(rest)).toBeGreaterThan(0)
  serve(waiting.length)
  // The closed ones count no more, and only once.
  readBursts(rest, 'account')
  expect([waiting.length > 200, waiting.length <= maxWaiting, readCount(rest)]).toEqual([
    true,
    true,
    0,
  ])
})

test('a connection that changes its account counts for the one that it leaves, until it was served', () => {
  const crowd = open(500, 'here')
  for (const socket of crowd) {
    reading.arrived(asDuplex(socket), 'first', bytes, 1000)
    reading.left(asDuplex(socket), 'first', bytes, false)
  }
  readBursts(crowd, 'second')
  expect([waiting.length <= maxWaiting, readCount(crowd)]).toEqual([true, 0])
  serve(waiting.length)
  expect(readCount(crowd)).toBeGreaterThan(0)
})
