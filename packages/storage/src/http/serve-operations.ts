/** The routes by which a storage that runs alone is watched. */

import { pathOf } from '@latchkey/protocol'
import type { Serve } from '@latchkey/service/http/call'
import { type OpenApiDocument, serveDocument } from '@latchkey/service/http/openapi'
import {
  noOperation,
  operationsRoutes,
  type WatchedService,
} from '@latchkey/service/http/operations-routes'
import { type FrontPage, pageBefore } from '@latchkey/service/http/page'
import { type ServeRoutesDeps, serveRoutes } from '@latchkey/service/http/routes'
import type { RandomBytes } from '@latchkey/service/machine/random'
import { failureOf } from '@latchkey/service/observe/log'
import type { MetricsPage } from '@latchkey/service/observe/metrics'
import type { StorageLog } from '../operations/log-events.ts'

export interface WatchedStorage {
  readonly metrics: MetricsPage
  readonly isReady: () => Promise<boolean>
  /** Why the content cannot be used, if it cannot. */
  readonly findFault: () => Promise<string | undefined>
  /** The state of the hub connection for `/readyz`. */
  readonly says: NonNullable<WatchedService['says']>
  readonly log: StorageLog
  readonly randomBytes: RandomBytes
}

export function serveOperations(watched: WatchedStorage): Serve {
  const { metrics, isReady, says } = watched
  const notReady = reasonOf(watched)
  return serveRoutes(operationsRoutes({ metrics, isReady, notReady, says }), servingOf(watched))
}

export interface StoragePage {
  /** Whether `/readyz` is on the same listener; where it is not, the page tells less. */
  readonly isWatchedHere: boolean
  readonly document: () => OpenApiDocument
}

/** The page for browsers, and the OpenAPI document, before everything that takes a token. */
export function withStoragePage(
  rest: Serve,
  watched: Omit<WatchedStorage, 'metrics'>,
  { isWatchedHere, document }: StoragePage,
): Serve {
  const { isReady, says } = watched
  const notReady = isWatchedHere ? reasonOf(watched) : noHub
  const state = { isReady, notReady, ...(isWatchedHere ? { says } : {}) }
  const serving = servingOf(watched)
  const handle = serveDocument(document)
  const described = serveRoutes([{ method: 'GET', path: documentPath, handle }], serving)
  const beside: Serve = (request, response) =>
    (pathOf(request.url ?? '') === documentPath ? described : rest)(request, response)
  return pageBefore(beside, storagePage(state, isWatchedHere), serving)
}

function servingOf({ log, randomBytes }: Omit<WatchedStorage, 'metrics'>): ServeRoutesDeps {
  return {
    name: 'storage',
    randomBytes,
    notFound: () => noOperation,
    logFailure: (error, requestId) => log('storage_failed', { requestId, ...failureOf(error) }),
  }
}

function reasonOf({ findFault }: Pick<WatchedStorage, 'findFault'>): () => Promise<string> {
  return async () => (await findFault()) ?? noHub
}

const noHub = 'The storage has no keys of its hub, or no current revocation list. Its log says why.'

/** No place of a storage has so short a path: `{repo}` and `{ref}` come before every route. */
const documentPath = '/openapi.json'
const watched: readonly string[] = ['/healthz', '/readyz', '/metrics']

export function besideTheRest(operations: Serve, rest: Serve): Serve {
  return (request, response) =>
    (watched.includes(pathOf(request.url ?? '')) ? operations : rest)(request, response)
}

/** `isWatchedHere`: whether `/readyz` is on the same listener. */
function storagePage(watched: FrontPage['watched'], isWatchedHere: boolean): FrontPage {
  return {
    name: 'storage',
    about:
      'This storage keeps content by its hash, and serves it to programs with a storage token. The hub issues the tokens; each opens one repository and one revision.',
    watched,
    links: [
      { href: 'openapi.json', about: 'the routes, as OpenAPI' },
      ...(isWatchedHere ? [{ href: 'readyz', about: 'the state above, for programs' }] : []),
    ],
    document: 'docs/reference/storage-api.md',
  }
}
