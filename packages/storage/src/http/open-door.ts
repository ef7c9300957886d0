/** Opens the socket that a storage listens on. */

import type { Refusal } from '@latchkey/protocol'
import { refuse } from '@latchkey/protocol'
import type { Stopwatch } from '@latchkey/service/limiter'
import { type Listener, listen } from '@latchkey/service/listener'
import { failureOf } from '@latchkey/service/log'
import type { RandomBytes } from '@latchkey/service/random'
import { type ServeRequest, serveInOrder } from '@latchkey/service/serve-in-order'
import type { StorageLog } from '../operations/log-events.ts'

export interface DoorOptions {
  readonly host: string
  readonly port: number
  readonly connections: number
  readonly hosts: readonly string[]
  readonly randomBytes: RandomBytes
  readonly stopwatch: Stopwatch
  readonly readingMs: number
  readonly log: StorageLog
  readonly serve: ServeRequest
}

export interface Door extends Listener {
  /** Once every request has been written down. */
  settled(): Promise<unknown>
}

export async function openDoor({ log, serve, ...options }: DoorOptions): Promise<Door> {
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

const unknownMethod: Refusal = refuse(
  'method_not_allowed',
  'This method is not known here; CONNECT opens no tunnels. Use GET, HEAD, POST or PUT.',
  { allow: 'GET, HEAD, POST, PUT, OPTIONS' },
)
