/** Opens the sockets that a hub listens on. */

import { refuse } from '@latchkey/protocol'
import { clientAddress } from '@latchkey/service/http/addresses'
import {
  type Listener,
  type ListenerOptions,
  type ListenerQueue,
  listen,
} from '@latchkey/service/http/listener'
import { pageBefore } from '@latchkey/service/http/page'
import { type ServeRoutesDeps, serveRoutes } from '@latchkey/service/http/routes'
import { idsFrom } from '@latchkey/service/machine/random'
import { failureOf } from '@latchkey/service/observe/log'
import { exposedHeaders } from '../forwarding/forge-place.ts'
import type { Forwarding } from '../forwarding/open-forwarding.ts'
import { refuseShared } from '../forwarding/own-paths.ts'
import { contentCors, type HubCors, hubCors, outsideCors } from '../http/cors.ts'
import { hubPage } from '../http/hub-page.ts'
import { noRoute, nothingOfItsOwn, type ServeAll, serveRequest } from '../http/serve-request.ts'
import { serveTokenRequest } from '../http/serve-token-request.ts'
import { writeDown } from '../http/write-down.ts'
import type { KnownDeps } from '../issue/with-known.ts'
import type { HubContext } from './hub-context.ts'
import { hubRoutes, watchedHub, watchingRoutes } from './hub-routes.ts'
import { issuingOf } from './issuing-of.ts'
import { overloadQueue } from './overload-queue.ts'

export interface Listeners {
  readonly url: string
  readonly operationsUrl: string | undefined
  close(deadlineSeconds: number): Promise<void>
}

export async function openListeners(context: HubContext): Promise<Listeners> {
  const { settings } = context
  const stopping = new AbortController()
  const cors = outsideCors(hubCors(settings.cors.origins, settings.compat.huggingface))
  const serving = routeOptions(context, cors, stopping.signal)
  const { host, port } = settings.operations
  const operations =
    port === undefined
      ? undefined
      : await open(
          context,
          { host, port, portFlag: '--operations-port', servesHealth: true },
          { serve: serveRoutes(watchingRoutes(context), serving) },
        )
  const issuing = issuingOf(context)
  const queue = overloadQueue(context, cors, issuing)
  const forwarding = await forwardingOf(context, queue)
  const openMain = async () => {
    const place = { ...settings, queue, servesHealth: port === undefined }
    const nothing = forwarding && nothingOfItsOwn
    const notFound = (target: string) => noRoute(target, nothing)
    const parts = { ...serving, notFound, issuing, forwarding }
    return open(context, { ...place, ...forwarding?.patience }, withPage(context, cors, parts))
  }
  const main = await openMain().catch(async (error) => {
    await operations?.stop(0)
    await forwarding?.close()
    throw error
  })
  context.metrics.countWaiting(main.waiting)
  return {
    url: main.url,
    operationsUrl: operations?.url,
    async close(deadlineSeconds) {
      const stopped = [main.stop(deadlineSeconds), operations?.stop(deadlineSeconds)]
      stopping.abort()
      await Promise.all(stopped)
      await forwarding?.close()
    },
  }
}

async function forwardingOf(
  context: HubContext,
  { accountOf = () => undefined }: ListenerQueue,
): Promise<Forwarding | undefined> {
  const { settings, forge, keys } = context
  if (forge === undefined) return undefined
  const { openForwarding } = await import('../forwarding/open-forwarding.ts')
  return openForwarding({
    ...context,
    ...{ place: forge, publicUrl: settings.publicUrl, masterKey: keys.masterKey, accountOf },
    connections: settings.limits.connections,
    clientAddress: clientAddress(settings.trustedProxies),
    headersFor: contentCors(settings.cors.origins, exposedHeaders).headersFor,
  })
}

interface ServingAll extends ServeRoutesDeps {
  readonly issuing: KnownDeps
  readonly forwarding: Forwarding | undefined
}

function withPage(context: HubContext, cors: HubCors, serving: ServingAll): Served {
  const { publicUrl, operations } = context.settings
  const isWatchedHere = operations.port === undefined
  const page = hubPage({ publicUrl, watched: watchedHub(context), isWatchedHere })
  const all = serveAll(context, cors, serving)
  const serve = pageBefore(all, page, serving)
  if (serving.forwarding === undefined) return { serve }
  return { serve, serveContinue: (request, response) => all(request, response, true) }
}

/** Token requests and the routes share who may issue and how often. */
function serveAll(context: HubContext, cors: HubCors, serving: ServingAll): ServeAll {
  const { settings, log, metrics } = context
  const { issuing, forwarding } = serving
  const addressOf = clientAddress(settings.trustedProxies)
  const routes = hubRoutes(context, issuing, addressOf)
  refuseShared(routes)
  return serveRequest({
    ...context,
    cors,
    serveToken: serveTokenRequest({
      ...context,
      issuing,
      cors,
      clientAddress: addressOf,
      newRequestId: idsFrom(context.randomBytes),
      writeDown: writeDown(log, metrics),
    }),
    serveRoute: serveRoutes(routes, serving),
    forwarding,
    contentCors: contentCors(settings.cors.origins, exposedHeaders),
  })
}

function routeOptions(
  { log, randomBytes }: HubContext,
  { headersFor }: HubCors,
  stopping: AbortSignal,
): ServeRoutesDeps {
  return {
    name: 'hub',
    randomBytes,
    notFound: noRoute,
    headersFor,
    logFailure: (error, requestId) => log('request_failed', { requestId, ...failureOf(error) }),
    stopping,
  }
}

interface Place {
  readonly host: string
  readonly port: number
  readonly portFlag?: string
  readonly servesHealth: boolean
  readonly queue?: ListenerQueue
  readonly requestTimeoutMs?: number
  readonly readingMs?: number
}

type Served = Pick<ListenerOptions, 'serve' | 'serveContinue'>

function open(
  { settings, randomBytes, stopwatch }: HubContext,
  { host, port, portFlag = '--port', servesHealth, queue, requestTimeoutMs, readingMs }: Place,
  served: Served,
): Promise<Listener> {
  return listen({
    name: 'hub',
    host,
    port,
    portFlag,
    connections: settings.limits.connections,
    trustedProxies: settings.trustedProxies,
    hosts: [new URL(settings.publicUrl).hostname, ...settings.allowedHosts],
    randomBytes,
    stopwatch,
    ...served,
    servesHealth,
    ...(queue && { queue }),
    ...(requestTimeoutMs !== undefined && { requestTimeoutMs }),
    ...(readingMs !== undefined && { readingMs }),
    unknownMethod: refuse(
      'method_not_allowed',
      'This method is not known here. Use GET for a storage token.',
      { allow: 'GET, HEAD' },
    ),
  })
}
