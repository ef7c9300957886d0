/** Closes a server of HTTP, and single connections of it, within a bounded time. */

import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'

/** How long a client that was told to go may take to do so. */
const leavingMs = 2000

export function letGo(socket: Duplex, leaving: Set<Duplex>): void {
  leaving.add(socket)
  socket.once('close', () => leaving.delete(socket))
}

/** Unread data would hide that the client has gone, and Node does not watch a socket that it handed over. */
export function endWith(socket: Duplex, answer: Buffer, leaving: Set<Duplex>): void {
  letGo(socket, leaving)
  const cut = setTimeout(() => socket.destroy(), leavingMs)
  socket.once('close', () => clearTimeout(cut))
  socket.resume()
  socket.end(answer)
}

/** In-flight requests finish; after the deadline every connection is cut, also those that Node has handed over. */
export async function closeServer(
  server: Server,
  deadlineSeconds: number,
  leaving: ReadonlySet<Duplex>,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const cut = setTimeout(() => {
    server.closeAllConnections()
    for (const socket of leaving) socket.destroy()
  }, deadlineSeconds * 1000)
  await closed
  clearTimeout(cut)
}
