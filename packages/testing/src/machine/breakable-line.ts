/** A line to a server on this machine that can be broken: connections are reset and refused, or stay open without a byte. */

import { connect, createServer, type Socket } from 'node:net'
import { freePort } from './free-port.ts'

export interface BreakableLine {
  readonly url: string
  readonly port: number
  /** What clients have sent so far, with all that is around it. */
  sentBytes(): number
  break(): void
  /** Half-open: connections stay and new ones open, but neither bytes nor an end get through until it is mended. */
  stall(): void
  /** Comes back when the broken line has turned a client away. */
  turnedAway(): Promise<void>
  mend(): void
  /** Breaks when so many more bytes have been sent, and comes back then. */
  breakAfterSending(bytes: number): Promise<void>
  /** Breaks when so many more bytes have come back, and comes back then. */
  breakAfterReceiving(bytes: number): Promise<void>
  close(): Promise<void>
}

interface Limit {
  left: number
  reached(): void
}

export async function breakableLine(serverPort: number): Promise<BreakableLine> {
  const port = await freePort()
  /** Each with its other end. */
  const sockets = new Map<Socket, Socket>()
  const limits: { sending?: Limit | undefined; receiving?: Limit | undefined } = {}
  let [isBroken, isStalled, sent] = [false, false, 0]
  let turnAway = Promise.withResolvers<void>()
  const breakAll = () => {
    isBroken = true
    turnAway = Promise.withResolvers()
    for (const socket of sockets.keys()) socket.resetAndDestroy()
  }
  const mend = () => {
    isBroken = false
    isStalled = false
    for (const [socket, other] of sockets) {
      if (other.destroyed) socket.destroy()
      else socket.pipe(other)
    }
  }
  const stall = () => {
    isStalled = true
    for (const socket of sockets.keys()) socket.unpipe().pause()
  }
  const whenClosed = (socket: Socket, other: Socket) => {
    sockets.delete(socket)
    if (!isStalled) other.destroy()
  }
  const count = (way: keyof typeof limits, bytes: number) => {
    const limit = limits[way]
    if (limit === undefined) return
    limit.left -= bytes
    if (limit.left > 0) return
    limits[way] = undefined
    breakAll()
    limit.reached()
  }
  const breakAfter = (way: keyof typeof limits, left: number) =>
    new Promise<void>((reached) => {
      limits[way] = { left, reached }
    })
  const server = createServer((client) => {
    if (isBroken) {
      client.resetAndDestroy()
      turnAway.resolve()
      return
    }
    const there = connect(serverPort, '127.0.0.1')
    for (const [socket, other] of [
      [client, there],
      [there, client],
    ] as const) {
      sockets.set(socket, other)
      // Closes next.
      socket.on('error', () => {})
      socket.on('close', () => whenClosed(socket, other))
    }
    client.on('data', ({ length }) => {
      sent += length
      count('sending', length)
    })
    there.on('data', ({ length }) => count('receiving', length))
    if (isStalled) stall()
    else client.pipe(there).pipe(client)
  })
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', () => done()))
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    sentBytes: () => sent,
    break: breakAll,
    stall,
    turnedAway: () => turnAway.promise,
    mend,
    breakAfterSending: (bytes) => breakAfter('sending', bytes),
    breakAfterReceiving: (bytes) => breakAfter('receiving', bytes),
    async close() {
      breakAll()
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
}
