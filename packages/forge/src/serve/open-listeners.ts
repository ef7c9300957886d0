/** Opens the sockets that a forge listens on. */

import { pathOf, type Refusal, refuse } from '@latchkey/protocol'
import type { Serve } from '@latchkey/service/http/call'
import { type Listener, type ListenerOptions, listen } from '@latchkey/service/http/listener'
import {
  noOperation,
  operationsRoutes,
  type WatchedService,
} from '@latchkey/service/http/operations-routes'
import { type ServeRoutesDeps, serveRoutes } from '@latchkey/service/http/routes'
import { maxUploadMs, notFound, type OpenForge } from './open-forge.ts'
import type { ForgeSettings } from './settings.ts'

export interface ForgeListeners extends Pick<Listener, 'url' | 'stop'> {
  readonly operationsUrl: string | undefined
}

export interface ForgeListenersDeps
  extends Pick<ListenerOptions, 'randomBytes'>,
    Required<Pick<ListenerOptions, 'stopwatch'>> {
  readonly watched: WatchedService
  /** Undefined until it is open. */
  readonly forge: () => OpenForge | undefined
  readonly logFailure: ServeRoutesDeps['logFailure']
}

export async function openListeners(
  settings: ForgeSettings,
  { watched, forge, randomBytes, stopwatch, logFailure }: ForgeListenersDeps,
): Promise<ForgeListeners> {
  const { operations, trustedProxies, publicUrl, allowedHosts } = settings
  const common = {
    name: 'forge',
    ...{ randomBytes, stopwatch, trustedProxies, unknownMethod },
    connections: settings.limits.connections,
    hosts: [new URL(publicUrl).hostname, ...allowedHosts],
  }
  const routes = (nothing: () => Refusal, isWatchedHere: boolean) =>
    serveRoutes(isWatchedHere ? operationsRoutes(watched) : [], {
      ...{ name: 'forge', randomBytes, logFailure },
      notFound: nothing,
    })
  const place =
    operations?.port === undefined ? undefined : { ...operations, port: operations.port }
  const watching =
    place &&
    (await listen({
      ...{ ...common, ...place, portFlag: '--operations-port' },
      ...{ serve: routes(() => noOperation, true), servesHealth: true },
    }))
  const isWatchedHere = operations !== undefined && place === undefined
  const rest = routes(() => (forge() === undefined ? notOpen : notFound), isWatchedHere)
  const serve: Serve = (request, response) => {
    const { method = '', url = '' } = request
    const isOperation = isWatchedHere && watchedPaths.includes(pathOf(url))
    const handle = isOperation ? rest : (forge()?.handlerFor(method, url) ?? rest)
    handle(request, response)
  }
  const { host, port, portFlag } = settings
  const main = await listen({
    ...{ ...common, host, port, serve, requestTimeoutMs: maxUploadMs },
    ...(portFlag !== undefined && { portFlag }),
    servesHealth: isWatchedHere,
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
  }
}

const watchedPaths: readonly string[] = ['/healthz', '/readyz', '/metrics']

const notOpen = refuse('not_ready', 'The forge is not ready yet. Try again in a moment.', {
  retryAfterSeconds: 1,
})

const unknownMethod = refuse(
  'method_not_allowed',
  'This method is not known here. Use GET, HEAD, POST, PUT or DELETE.',
  { allow: 'GET, HEAD, POST, PUT, DELETE' },
)
