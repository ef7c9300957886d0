/** Opens a port for a server, or says in one line why it cannot be opened. */

import { createServer, type Server } from 'node:net'
import { CannotStart } from '../machine/cannot-start.ts'

export interface Port {
  readonly host: string
  readonly port: number
  /** The flag that chooses the port. */
  readonly portFlag?: string | undefined
}

export function openPort(server: Server, where: Port): Promise<void> {
  const { host, port } = where
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new CannotStart(explain(error, where))))
    server.listen({ host, port, backlog: 1024 }, () => resolve())
  })
}

/** Throws `CannotStart` now, and not after a data directory was made, for a port that cannot be opened. */
export async function refuseTakenPort(where: Port): Promise<void> {
  const server = createServer((socket) => socket.destroy())
  await openPort(server, where)
  await new Promise((resolve) => server.close(resolve))
}

function explain(error: Error, { host, port, portFlag = '--port' }: Port): string {
  switch ('code' in error ? error.code : undefined) {
    case 'EADDRINUSE':
      return `port ${port} on ${host} is taken. Choose another with ${portFlag}, or stop what listens there.`
    case 'EACCES':
      return `port ${port} on ${host} may not be opened by this user. Choose one above 1023 with ${portFlag}.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `this machine has no address ${host}. Choose another with --host.`
    default:
      return `port ${port} on ${host} cannot be opened: ${error.message}`
  }
}
