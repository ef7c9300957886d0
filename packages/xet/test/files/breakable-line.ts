/** A line to a server on this machine that can be broken: whatever goes through it breaks off, and nothing new gets through. */

import { connect, createServer, type Socket } from 'node:net'
import { freePort } from '@latchkey/testing/machine/free-port'

export interface BreakableLine {
  readonly url: string
  /** What clients have sent so far, with all that is around it. */
  sentBytes(): number
  break(): void
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
  const sockets = new Set<Socket>()
  const limits: { sending?: Limit | undefined; receiving?: Limit | undefined } = {}
  let [isBroken, sent] = [false, 0]
  const breakAll = () => {
    isBroken = true
    for (const socket of sockets) socket.resetAndDestroy()
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
      return
    }
    const there = connect(serverPort, '127.0.0.1')
    for (const [socket, other] of [
      [client, there],
      [there, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    client.on('data', ({ length }) => {
      sent += length
      count('sending', length)
    })
    there.on('data', ({ length }) => count('receiving', length))
    client.pipe(there).pipe(client)
  })
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', () => done()))
  return {
    url: `http://127.0.0.1:${port}`,
    sentBytes: () => sent,
    break: breakAll,
    mend() {
      isBroken = false
    },
    breakAfterSending: (bytes) => breakAfter('sending', bytes),
    breakAfterReceiving: (bytes) => breakAfter('receiving', bytes),
    async close() {
      breakAll()
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
}
