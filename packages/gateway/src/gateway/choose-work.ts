/** Chooses the work of a gate for admitted requests: forward them, or tell a proxy to do so. */

import type { IncomingMessage } from 'node:http'
import { authenticator } from '@latchkey/gate/authenticate'
import { gateRequestOf } from '@latchkey/gate/node'
import { type ClientAddress, clientAddress } from '@latchkey/service/http/addresses'
import type { ServeRequest } from '@latchkey/service/http/call'
import { connectTo, forwarder } from '@latchkey/service/http/forwarding'
import type { ListenerOptions } from '@latchkey/service/http/listener'
import type { Stopwatch } from '@latchkey/service/machine/time'
import { failureOf } from '@latchkey/service/observe/log'
import { type ForwardAuthEndpoint, forwardAuthEndpoint } from '../forward-auth/forward-auth.ts'
import type { GatewayContext } from './gateway-context.ts'
import { serveForward } from './serve-forward.ts'
import type { ForwardAuthSettings, ForwardingSettings } from './settings.ts'
import { upstreamAddress } from './upstream-address.ts'
import { upstreamHeaders, upstreamRefusals } from './upstream-rules.ts'
import { type GatewayWriteDown, writeDown } from './write-down.ts'

export interface GatewayWork {
  readonly serve: ServeRequest
  /** How long the listener waits for a client; forwarded requests have deadlines of their own. */
  readonly patience: Pick<ListenerOptions, 'requestTimeoutMs' | 'idleTimeoutMs' | 'readingMs'>
  close(): Promise<void>
}

export function chooseWork(context: GatewayContext): GatewayWork {
  const { work } = context.settings
  return work.kind === 'forward' ? forwarding(work, context) : forwardAuth(work, context)
}

function forwarding(work: ForwardingSettings, context: GatewayContext): GatewayWork {
  const { settings, gate, log, metrics, clock, stopwatch } = context
  const address = upstreamAddress(work.upstream, settings.isolation)
  const { connectSeconds, headersSeconds } = work.timeouts
  const storage = connectTo({
    ...address,
    connections: settings.limits.connections,
    connectSeconds,
  })
  const upstream = { dispatcher: storage, headersSeconds, refusals: upstreamRefusals }
  const serve = serveForward({
    receive: authenticator(gate, {
      origins: settings.cors.origins,
      onFailure: (error) => log('request_failed', failureOf(error)),
    }),
    forward: forwarder(upstream, context.deadlines),
    watch: gate.watch,
    headersFor: upstreamHeaders(gate.audience),
    basePathOf: address.basePathOf,
    assertionKey: work.assertionKey,
    clientAddress: clientAddress(settings.trustedProxies),
    clock,
    stopwatch,
    writeDown: writeDown(log, metrics, 'forwarded'),
  })
  const readingMs = work.timeouts.idleSeconds * 1000
  const patience = { requestTimeoutMs: 0, idleTimeoutMs: 0, readingMs }
  return { serve, patience, close: () => storage.destroy() }
}

function forwardAuth(
  { proxy, cacheSeconds }: ForwardAuthSettings,
  context: GatewayContext,
): GatewayWork {
  const { settings, gate, log, metrics, clock, stopwatch } = context
  const serve = serveForwardAuth({
    answerProxy: forwardAuthEndpoint(gate, proxy, { cacheSeconds, clock }),
    clientAddress: proxyTells(settings.trustedProxies),
    stopwatch,
    writeDown: writeDown(log, metrics, 'admitted'),
  })
  return { serve, patience: {}, close: async () => {} }
}

/** Every question comes from the proxy's own address; a limit on that would shut everybody out. */
function proxyTells(trustedProxies: readonly string[]): ClientAddress | undefined {
  return trustedProxies.length === 0 ? undefined : clientAddress(trustedProxies)
}

/** A proxy's question at the forward-auth endpoint: judged, answered, written down. */
interface ForwardAuthRoute {
  readonly answerProxy: ForwardAuthEndpoint
  /** Undefined where all that is known is the proxy's own address. */
  readonly clientAddress: ClientAddress | undefined
  readonly stopwatch: Stopwatch
  readonly writeDown: GatewayWriteDown
}

function serveForwardAuth(route: ForwardAuthRoute): ServeRequest {
  const { answerProxy, clientAddress, stopwatch } = route
  return async (request: IncomingMessage, response) => {
    const started = stopwatch()
    const question = gateRequestOf(request, clientAddress?.(request))
    const { answer, request: original, requestId, grant, refusal } = await answerProxy(question)
    const { status, headers, body } = answer
    response.writeHead(status, [...headers])
    response.end(body)
    const milliseconds = stopwatch() - started
    const refused = refusal === undefined ? {} : { refusal }
    route.writeDown({ status, ...refused }, { request: original, requestId, milliseconds, grant })
  }
}
