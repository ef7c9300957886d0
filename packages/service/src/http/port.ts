/** Opens a port for a server, or says in one line why it cannot be opened. */

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { CannotStart } from '../machine/errors.ts'

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

/** A port that the system gives to nobody else for the next minute. Undefined where nothing can listen. */
export async function freePort(host: string): Promise<number | undefined> {
  const server = createServer()
  try {
    server.listen(0, host)
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await leaveConnection(server, port, host)
    return port
  } catch {
    return undefined
  } finally {
    await new Promise((closed) => server.close(closed))
  }
}

/**
 * The side that closes a connection first remembers it for a minute (TIME_WAIT). So long the system
 * gives the port to nobody who asks for any; who names it can listen there.
 */
async function leaveConnection(server: Server, port: number, host: string): Promise<void> {
  const client = connect(port, host)
  const [[accepted]]: [[Socket], unknown] = await Promise.all([
    once(server, 'connection') as Promise<[Socket]>,
    once(client, 'connect'),
  ])
  accepted.resume().end()
  await once(client.resume(), 'close')
}
