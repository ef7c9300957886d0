/** Where every request comes in: preflights and token requests are answered at once, the rest by the table of routes. */

import type { ServerResponse } from 'node:http'
import type { Serve } from '@latchkey/service/listener'
import { newId, type RandomBytes } from '@latchkey/service/random'
import { asksBeforehand, type HubCors } from './cors.ts'
import type { ServeTokenRequest } from './serve-token-request.ts'

export interface Serving {
  readonly cors: HubCors
  readonly randomBytes: RandomBytes
  readonly serveToken: ServeTokenRequest
  readonly serveRoute: Serve
}

export function serveRequest({ cors, randomBytes, serveToken, serveRoute }: Serving): Serve {
  return (request, response) => {
    if (asksBeforehand(request)) {
      answerPreflight(response, cors.preflightHeadersFor(request), newId(randomBytes))
    } else if (!serveToken(request, response)) serveRoute(request, response)
  }
}

function answerPreflight(
  response: ServerResponse,
  headers: readonly string[],
  requestId: string,
): void {
  response.writeHead(204, [...headers, 'X-Request-Id', requestId, 'Cache-Control', 'no-store'])
  response.end()
}
