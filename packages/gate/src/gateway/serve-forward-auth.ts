/** A proxy's question at the forward-auth endpoint: judged, answered, written down. */

import type { IncomingMessage } from 'node:http'
import type { ClientAddress } from '@latchkey/service/http/client-address'
import type { ServeRequest } from '@latchkey/service/http/serve-in-order'
import type { Stopwatch } from '@latchkey/service/limits/limiter'
import { gateRequestOf } from '../adapters/node.ts'
import type { AnswerProxy } from '../forward-auth/forward-auth.ts'
import type { WriteDown } from './write-down.ts'

export interface ForwardAuthRoute {
  readonly answerProxy: AnswerProxy
  /** Undefined where all that is known is the proxy's own address. */
  readonly clientAddress: ClientAddress | undefined
  readonly stopwatch: Stopwatch
  readonly writeDown: WriteDown
}

export function serveForwardAuth(route: ForwardAuthRoute): ServeRequest {
  const { answerProxy, clientAddress, stopwatch } = route
  return async (request: IncomingMessage, response) => {
    const started = stopwatch()
    const question = gateRequestOf(request, clientAddress?.(request))
    const { answer, asked, requestId, grant, refusal } = await answerProxy(question)
    const { status, headers, body } = answer
    response.writeHead(status, [...headers])
    response.end(body)
    const milliseconds = stopwatch() - started
    const refused = refusal === undefined ? {} : { refusal }
    route.writeDown({ status, ...refused }, { asked, requestId, milliseconds, grant })
  }
}
