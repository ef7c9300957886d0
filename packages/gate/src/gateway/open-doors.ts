/** Opens the sockets that a gate listens on. */

import { refuse } from '@latchkey/protocol'
import { anyHost } from '@latchkey/service/allowed-hosts'
import { type Listener, listen } from '@latchkey/service/listener'
import { failureOf } from '@latchkey/service/log'
import { serveInOrder } from '@latchkey/service/serve-in-order'
import type { Work } from './choose-work.ts'
import type { Inside } from './inside.ts'
import { serveOperations } from './operations.ts'

export interface Doors {
  readonly main: Listener
  readonly operations: Listener | undefined
  /** Once every request has been written down. */
  settled(): Promise<unknown>
}

export async function openDoors(inside: Inside, work: Work): Promise<Doors> {
  const { settings, gate, log, randomBytes, stopwatch } = inside
  const { settled, ...inOrder } = serveInOrder(work.serve, (error) =>
    log('request_failed', failureOf(error)),
  )
  const hosts = [new URL(gate.audience).hostname, ...settings.allowedHosts]
  const common = {
    name: 'gate',
    connections: settings.limits.connections,
    hosts,
    randomBytes,
    stopwatch,
    unknownMethod,
  }
  const { host, port } = settings.operations
  const watching = serveOperations(inside)
  const operations =
    port === undefined ? undefined : await listen({ ...common, host, port, serve: watching })
  const main = await listen({
    ...common,
    // A proxy asks under the client's host name or one of its own.
    hosts: settings.work.kind === 'forward-auth' ? [anyHost] : hosts,
    host: settings.host,
    port: settings.port,
    ...inOrder,
    ...work.patience,
  }).catch(async (error) => {
    await operations?.stop(0)
    throw error
  })
  return { main, operations, settled }
}

const unknownMethod = refuse(
  'method_not_allowed',
  'This method is not known here; CONNECT opens no tunnels. Use the methods that the storage documents.',
  { allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS' },
)
