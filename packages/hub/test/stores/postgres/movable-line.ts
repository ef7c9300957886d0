/** One address for a server that is replaced by another: what operators move at a failover. */

import { connect, createServer, type Socket } from 'node:net'
import { freePort } from '@latchkey/testing/machine/free-port'
import { onTestFinished } from 'vitest'

export interface MovableLine {
  readonly port: number
  /** Ends every connection; new ones lead to the other port. */
  moveTo(port: number): void
}

export async function movableLine(serverPort: number): Promise<MovableLine> {
  const port = await freePort()
  const sockets = new Set<Socket>()
  let target = serverPort
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
    client.pipe(there).pipe(client)
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
  }
}
