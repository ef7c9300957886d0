/** One address for a server that is replaced by another: what operators move at a failover. */

import { connect, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'
import { freePort } from '@latchkey/testing/machine/free-port'
import { onTestFinished } from 'vitest'

export interface MovableLine {
  readonly port: number
  /** Ends every connection; new ones lead to the other port. */
  moveTo(port: number): void
  /** From now on a connection gets stuck when it sends this. Gives the function that lets all of them go on. */
  hold(sent: string): () => void
  /** Once a connection is stuck. */
  held(): Promise<void>
}

interface Hold {
  readonly sent: string
  readonly isOver: Promise<void>
  readonly begin: () => void
  readonly hasBegun: Promise<void>
}

export async function movableLine(serverPort: number): Promise<MovableLine> {
  const port = await freePort()
  const sockets = new Set<Socket>()
  let target = serverPort
  let held: Hold | undefined
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((client) => {
    const there = connect(target, '127.0.0.1')
    for (const socket of [client, there]) {
      sockets.add(socket)
      // Closes next.
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        there.destroy()
      })
    }
    const holding = new Transform({
      async transform(bytes: Buffer, _, pass) {
        if (held !== undefined && bytes.includes(held.sent)) {
          held.begin()
          await held.isOver
        }
        pass(null, bytes)
      },
    })
    client.pipe(holding).pipe(there).pipe(client)
  })
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  onTestFinished(async () => {
    cut()
    await new Promise((closed) => server.close(closed))
  })
  return {
    port,
    moveTo(other) {
      target = other
      cut()
    },
    hold(sent) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>()
      held = { sent, isOver: promise, begin, hasBegun }
      return () => {
        held = undefined
        resolve()
      }
    },
    async held() {
      await held?.hasBegun
    },
  }
}
