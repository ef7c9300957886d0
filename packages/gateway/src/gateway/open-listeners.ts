import type { Gate } from '@latchkey/gate'
import { type RevocationStatus, revocationState } from '@latchkey/gate/hub-link'
import { refuse } from '@latchkey/protocol'
import { anyHost } from '@latchkey/service/http/addresses'
import { type Serve, serveInOrder } from '@latchkey/service/http/call'
import { listen } from '@latchkey/service/http/listener'
import { noOperation, operationsRoutes } from '@latchkey/service/http/operations-routes'
import { type FrontPage, pageBefore } from '@latchkey/service/http/page'
import { type ServeRoutesDeps, serveRoutes } from '@latchkey/service/http/routes'
import { failureOf } from '@latchkey/service/observe/log'
import type { GatewayWork } from './choose-work.ts'
import type { GatewayContext } from './gateway-context.ts'

interface Listeners {
  readonly url: string
  readonly operationsUrl: string | undefined
  stop(deadlineSeconds: number): Promise<unknown>
  /** Settles once every request has been logged. */
  settled(): Promise<unknown>
}

export async function openListeners(
  context: GatewayContext,
  work: GatewayWork,
): Promise<Listeners> {
  const { settings, gate, log, randomBytes, stopwatch } = context
  const { settled, ...inOrder } = serveInOrder(work.serve, (error) =>
    log('request_failed', failureOf(error)),
  )
  const hosts = [new URL(gate.audience).hostname, ...settings.allowedHosts]
  const common = {
    name: 'gate',
    connections: settings.limits.connections,
    trustedProxies: settings.trustedProxies,
    hosts,
    randomBytes,
    stopwatch,
    unknownMethod,
  }
  const { host, port } = settings.operations
  const watching = serveOperations(context)
  const operations =
    port === undefined
      ? undefined
      : await listen({
          ...{ ...common, host, port, portFlag: '--operations-port' },
          ...{ serve: watching, servesHealth: true },
        })
  // Every path of a forward-auth endpoint is a proxy's question.
  const isAsked = settings.work.kind === 'forward-auth'
  const { serve } = inOrder
  const main = await listen({
    ...common,
    // A proxy asks under the client's host name or one of its own.
    hosts: isAsked ? [anyHost] : hosts,
    host: settings.host,
    port: settings.port,
    ...inOrder,
    serve: isAsked ? serve : pageBefore(serve, gatePage(gate), servingOf(context)),
    ...work.patience,
  }).catch(async (error) => {
    await operations?.stop(0)
    throw error
  })
  return {
    url: main.url,
    operationsUrl: operations?.url,
    stop: (deadlineSeconds) =>
      Promise.all([main.stop(deadlineSeconds), operations?.stop(deadlineSeconds)]),
    settled,
  }
}

const unknownMethod = refuse(
  'method_not_allowed',
  'This method is not known here; CONNECT opens no tunnels. Use the methods that the storage documents.',
  { allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS' },
)

/** The rest of what `/readyz` tells is on the listener of the operations alone. */
function gatePage({ isReady }: Pick<Gate, 'isReady'>): FrontPage {
  return {
    name: 'gate',
    about:
      'This gate checks the storage token of every request, and forwards allowed requests to the storage behind it. The hub issues the tokens.',
    watched: { isReady, notReady },
    document: 'docs/guides/gateway.md',
  }
}

/** The routes by which a gate is watched, on a listener of their own: every other path belongs to the storage. */
export function shownRevocations({
  gate,
  settings,
}: Pick<GatewayContext, 'gate' | 'settings'>): RevocationStatus {
  return { source: gate.revocations, whenStale: settings.revocations.whenStale }
}

function serveOperations(context: GatewayContext): Serve {
  const { gate, metrics } = context
  const routes = operationsRoutes({
    metrics,
    isReady: gate.isReady,
    notReady,
    says: () => revocationState(shownRevocations(context)),
  })
  return serveRoutes(routes, servingOf(context))
}

function servingOf({ log, randomBytes }: GatewayContext): ServeRoutesDeps {
  return {
    name: 'gate',
    randomBytes,
    notFound: () => noOperation,
    logFailure: (error, requestId) => log('request_failed', { requestId, ...failureOf(error) }),
  }
}

const notReady = 'The gate has no keys of the hub, or no current revocation list. Its log says why.'
