/** A line to PostgreSQL on which the connections that LISTEN can be made half-open: they stay, and nothing comes. */

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface ListenLine {
  readonly port: number
  /** Gives how many connections hear nothing from now on. Those that are made later do. */
  stallListening(): number
  close(): void
}

export async function listenLine(serverPort: number): Promise<ListenLine> {
  const listening = new Set<Socket>()
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const there = connect(serverPort, '127.0.0.1')
    for (const [socket, other] of [
      [client, there],
      [there, client],
    ] as const) {
      sockets.add(socket)
      // Closes next.
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        listening.delete(socket)
        other.destroy()
      })
    }
    client.on('data', (bytes) => {
      if (bytes.includes('LISTEN ')) listening.add(there)
    })
    client.pipe(there).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    stallListening() {
      for (const socket of listening) socket.unpipe().pause()
      return listening.size
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
