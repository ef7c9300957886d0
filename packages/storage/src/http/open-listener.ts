/** Opens the socket that a storage listens on. */

import { refuse } from '@latchkey/protocol'
import { type Serve, type ServeRequest, serveInOrder } from '@latchkey/service/http/call'
import { type Listener, type ListenerOptions, listen } from '@latchkey/service/http/listener'
import { failureOf } from '@latchkey/service/observe/log'
import type { StorageLog } from '../operations/log-events.ts'
import { besideTheRest } from './serve-operations.ts'

type Given =
  | 'host'
  | 'port'
  | 'connections'
  | 'trustedProxies'
  | 'hosts'
  | 'randomBytes'
  | 'stopwatch'
  | 'readingMs'

export interface StorageListenerOptions extends Required<Pick<ListenerOptions, Given>> {
  readonly log: StorageLog
  readonly portFlag?: string | undefined
  readonly serve: ServeRequest
  /** `/healthz`, `/readyz` and `/metrics`, with a listener of their own where they have a place. */
  readonly operations?:
    | { readonly serve: Serve; readonly place: OperationsPlace | undefined }
    | undefined
  /** Puts the page for browsers and the OpenAPI document before the rest. */
  readonly withPage: (rest: Serve) => Serve
}

export interface OperationsPlace {
  readonly host: string
  readonly port: number
}

export interface StorageListener extends Omit<Listener, 'drain' | 'waiting'> {
  readonly operationsUrl: string | undefined
  /** Settles once every request has been logged. */
  settled(): Promise<unknown>
}

export async function openListener({
  log,
  serve,
  portFlag = '--storage-port',
  operations,
  withPage,
  ...options
}: StorageListenerOptions): Promise<StorageListener> {
  const { settled, ...inOrder } = serveInOrder(serve, (error) =>
    log('storage_failed', failureOf(error)),
  )
  const common = { ...options, name: 'storage', unknownMethod }
  const place = operations?.place
  const watching =
    place &&
    (await listen({
      ...{ ...common, ...place, portFlag: '--operations-port' },
      ...{ serve: operations.serve, servesHealth: true },
    }))
  const isWatchedHere = operations !== undefined && place === undefined
  const main = await listen({
    ...common,
    ...inOrder,
    serve: withPage(isWatchedHere ? besideTheRest(operations.serve, inOrder.serve) : inOrder.serve),
    servesHealth: isWatchedHere,
    portFlag,
    // Bodies have deadlines of their own.
    requestTimeoutMs: 0,
    idleTimeoutMs: 0,
  }).catch(async (error) => {
    await watching?.stop(0)
    throw error
  })
  return {
    url: main.url,
    operationsUrl: watching?.url,
    async stop(deadlineSeconds) {
      await Promise.all([main.stop(deadlineSeconds), watching?.stop(deadlineSeconds)])
    },
    settled,
  }
}

const unknownMethod = refuse(
  'method_not_allowed',
  'This method is not known here; CONNECT opens no tunnels. Use GET, HEAD, POST, PUT or DELETE.',
  { allow: 'GET, HEAD, POST, PUT, DELETE, OPTIONS' },
)
