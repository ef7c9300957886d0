/** A request at the gateway: judged, handed on, written down. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Admission, Gate } from '@latchkey/gate'
import { type Authenticator, answerFor } from '@latchkey/gate/authenticate'
import { gateRequestOf } from '@latchkey/gate/node'
import { type Answer, type Clock, type Secret, statusOf } from '@latchkey/protocol'
import type { ClientAddress } from '@latchkey/service/http/addresses'
import type { ServeRequest } from '@latchkey/service/http/call'
import { clientHeaders, type Forward } from '@latchkey/service/http/forwarding'
import { endAfterRequest, isOver } from '@latchkey/service/http/response-end'
import type { Stopwatch } from '@latchkey/service/machine/time'
import { signAssertion } from './assertion.ts'
import type { UpstreamAddress } from './upstream-address.ts'
import type { UpstreamHeaders } from './upstream-rules.ts'
import type { GatewayWriteDown } from './write-down.ts'

interface GatewayRoute {
  readonly receive: Authenticator
  readonly forward: Forward
  readonly watch: Gate['watch']
  readonly headersFor: (headers: readonly string[], sent: UpstreamHeaders) => string[]
  /** The path under which the storage keeps what the grant opens. */
  readonly basePathOf: UpstreamAddress['basePathOf']
  readonly assertionKey: Secret<'assertion-key'> | undefined
  readonly clientAddress: ClientAddress
  readonly clock: Clock
  readonly stopwatch: Stopwatch
  readonly writeDown: GatewayWriteDown
}

export function serveForward(route: GatewayRoute): ServeRequest {
  const { receive, forward, clientAddress, stopwatch } = route
  return async (request, response, waitsForContinue) => {
    const started = stopwatch()
    const address = clientAddress(request)
    const gateRequest = gateRequestOf(request, address)
    const received = await receive(gateRequest)
    const { requestId } = received
    const exchanged = () => ({
      request: gateRequest,
      requestId,
      milliseconds: stopwatch() - started,
    })
    if (!received.ok) {
      const { answer, refusal, grant } = received
      send(request, response, answer, waitsForContinue)
      const refused = refusal === undefined ? ({ isPreflight: true } as const) : { refusal }
      route.writeDown({ status: answer.status, ...refused }, { ...exchanged(), grant })
      return
    }
    const { admitted, headers: corsHeaders } = received
    const { grant } = admitted
    if (isOver(response)) {
      route.writeDown({ status: undefined, cut: 'client' }, { ...exchanged(), grant })
      return
    }
    if (waitsForContinue) response.writeContinue()
    const target = route.basePathOf(grant) + admitted.path + admitted.query
    const own = ['X-Request-Id', requestId, ...corsHeaders]
    const ending = await forward({
      request,
      response,
      target,
      headers: headersOf(route, { request, admitted, address, requestId, target }),
      answerHeaders: (answered) => clientHeaders(answered, own),
      watch: (cut) => route.watch(grant, cut),
      refuse(refusal) {
        const answer = answerFor(refusal, gateRequest, requestId)
        const headers = [...answer.headers, ...corsHeaders]
        send(request, response, { ...answer, headers }, false)
      },
    })
    const { refusal } = ending
    const status = ending.status ?? (refusal === undefined ? undefined : statusOf[refusal.code])
    route.writeDown({ ...ending, status }, { ...exchanged(), grant })
  }
}

interface Upstream {
  readonly request: IncomingMessage
  readonly admitted: Admission
  readonly address: string
  readonly requestId: string
  readonly target: string
}

function headersOf(route: GatewayRoute, upstream: Upstream): string[] {
  const { request, admitted, address, requestId, target } = upstream
  const { grant, prefix } = admitted
  const headers = route.headersFor(request.rawHeaders, { grant, requestId, address, prefix })
  if (route.assertionKey === undefined) return headers
  const asserted = { grant, method: request.method ?? '', target }
  headers.push('Latchkey-Assertion', signAssertion(asserted, route.assertionKey, route.clock()))
  return headers
}

/** A client that waits for "100 Continue" and gets a refusal sends no body; one that has begun to send may finish. */
function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: Answer,
  waitsForContinue: boolean,
): void {
  if (!request.complete) response.shouldKeepAlive = false
  response.writeHead(status, [...headers])
  if (waitsForContinue) response.end(body)
  else endAfterRequest(request, response, body)
}
