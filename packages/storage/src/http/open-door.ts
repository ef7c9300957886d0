/** Opens the socket that a storage listens on. */

import type { Socket } from 'node:net'
import type { Refusal } from '@latchkey/protocol'
import { refuse } from '@latchkey/protocol'
import type { Stopwatch } from '@latchkey/service/limiter'
import { type Listener, listen, type Serve } from '@latchkey/service/listener'
import { failureOf } from '@latchkey/service/log'
import type { RandomBytes } from '@latchkey/service/random'
import type { StorageLog } from '../operations/log-events.ts'
import type { ServeStorage } from './serve-storage.ts'
import { whenOver } from './when-over.ts'

export interface DoorOptions {
  readonly host: string
  readonly port: number
  readonly connections: number
  readonly hosts: readonly string[]
  readonly randomBytes: RandomBytes
  readonly stopwatch: Stopwatch
  readonly readingMs: number
  readonly log: StorageLog
  readonly serve: ServeStorage
}

export interface Door extends Listener {
  /** Once every request has been written down. */
  settled(): Promise<unknown>
}

export async function openDoor({ log, serve, ...options }: DoorOptions): Promise<Door> {
  const underWay = new Set<Promise<void>>()
  // One at a time on a connection: answers that nobody reads do not pile up.
  const last = new WeakMap<Socket, Promise<void>>()
  const serveWith =
    (waitsForContinue: boolean): Serve =>
    (request, response) => {
      const served = (last.get(request.socket) ?? Promise.resolve())
        .then(() => serve(request, response, waitsForContinue))
        .catch((error) => {
          // A mistake of ours costs one connection, not the process.
          log('storage_failed', failureOf(error))
          response.destroy()
        })
        .finally(() => underWay.delete(served))
      underWay.add(served)
      last.set(
        request.socket,
        served.then(() => new Promise((resolve) => whenOver(response, resolve))),
      )
    }
  const listener = await listen({
    ...options,
    name: 'storage',
    portFlag: '--storage-port',
    serve: serveWith(false),
    serveContinue: serveWith(true),
    unknownMethod,
    // Bodies have deadlines of their own.
    requestTimeoutMs: 0,
    idleTimeoutMs: 0,
  })
  return { ...listener, settled: () => Promise.all(underWay) }
}

const unknownMethod: Refusal = refuse(
  'method_not_allowed',
  'This method is not known here; CONNECT opens no tunnels. Use GET, HEAD, POST or PUT.',
  { allow: 'GET, HEAD, POST, PUT, OPTIONS' },
)
