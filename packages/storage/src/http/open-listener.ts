/** Opens the socket that a storage listens on. */

import { refuse } from '@latchkey/protocol'
import { type Listener, type ListenerOptions, listen } from '@latchkey/service/listener'
import { failureOf } from '@latchkey/service/log'
import { type ServeRequest, serveInOrder } from '@latchkey/service/serve-in-order'
import type { StorageLog } from '../operations/log-events.ts'

type Given = 'host' | 'port' | 'connections' | 'hosts' | 'randomBytes' | 'stopwatch' | 'readingMs'

export interface StorageListenerOptions extends Required<Pick<ListenerOptions, Given>> {
  readonly log: StorageLog
  readonly serve: ServeRequest
}

export interface StorageListener extends Listener {
  /** Settles once every request has been logged. */
  settled(): Promise<unknown>
}

export async function openListener({
  log,
  serve,
  ...options
}: StorageListenerOptions): Promise<StorageListener> {
  const { settled, ...inOrder } = serveInOrder(serve, (error) =>
    log('storage_failed', failureOf(error)),
  )
  const listener = await listen({
    ...options,
    name: 'storage',
    portFlag: '--storage-port',
    ...inOrder,
    unknownMethod,
    // Bodies have deadlines of their own.
    requestTimeoutMs: 0,
    idleTimeoutMs: 0,
  })
  return { ...listener, settled }
}

const unknownMethod = refuse(
  'method_not_allowed',
  'This method is not known here; CONNECT opens no tunnels. Use GET, HEAD, POST or PUT.',
  { allow: 'GET, HEAD, POST, PUT, OPTIONS' },
)
