/** The routes by which a gate is watched, on a listener of their own: every other path belongs to the storage. */

import type { Serve } from '@latchkey/service/http/call'
import { noOperation, operationsRoutes } from '@latchkey/service/http/operations-routes'
import { type ServeRoutesDeps, serveRoutes } from '@latchkey/service/http/serve-routes'
import { failureOf } from '@latchkey/service/observe/log'
import { revocationState, type ShownRevocations } from '../revocations/show-revocations.ts'
import type { GatewayContext } from './gateway-context.ts'

export function shownRevocations({
  gate,
  settings,
}: Pick<GatewayContext, 'gate' | 'settings'>): ShownRevocations {
  return { source: gate.revocations, withoutNews: settings.revocations.withoutNews }
}

export function serveOperations(context: GatewayContext): Serve {
  const { gate, metrics } = context
  const routes = operationsRoutes({
    metrics,
    isReady: gate.isReady,
    notReady,
    says: () => revocationState(shownRevocations(context)),
  })
  return serveRoutes(routes, servingOf(context))
}

export function servingOf({ log, randomBytes }: GatewayContext): ServeRoutesDeps {
  return {
    name: 'gate',
    randomBytes,
    notFound: () => noOperation,
    logFailure: (error, requestId) => log('request_failed', { requestId, ...failureOf(error) }),
  }
}

export const notReady =
  'The gate has no keys of the hub, or does not know which tokens the hub has taken back. Its log says why.'
