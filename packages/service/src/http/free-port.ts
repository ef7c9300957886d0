/** A port that the system gives to nobody else for the next minute. */

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** Undefined where nothing can listen. */
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
