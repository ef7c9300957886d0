/** Where every request comes in: preflights and token requests are answered at once, the rest by the table of routes. */

import type { ServerResponse } from 'node:http'
import { parseTokenPath, type TokenPath } from '@latchkey/protocol'
import type { Serve } from '@latchkey/service/listener'
import { failureOf } from '@latchkey/service/log'
import { newId, type RandomBytes } from '@latchkey/service/random'
import type { HubLog } from '../operations/log-events.ts'
import { asksBeforehand, type HubCors } from './cors.ts'
import type { ServeTokenRequest } from './serve-token-request.ts'

export interface Serving {
  readonly cors: HubCors
  readonly compatible: boolean
  readonly randomBytes: RandomBytes
  readonly serveToken: ServeTokenRequest
  readonly log: HubLog
  readonly serveRoute: Serve
}

export function serveRequest(serving: Serving): Serve {
  const { cors, compatible, randomBytes, serveToken, serveRoute, log } = serving
  // A mistake of ours costs one connection, not the process.
  const fail = (response: ServerResponse, error: unknown) => {
    log('request_failed', failureOf(error))
    response.destroy()
  }
  return (request, response) => {
    if (asksBeforehand(request)) {
      answerPreflight(response, cors.preflightHeadersFor(request), newId(randomBytes))
      return
    }
    const path = tokenPathOf(request.url ?? '', compatible)
    if (path === undefined) serveRoute(request, response)
    else serveToken(request, response, path).catch((error) => fail(response, error))
  }
}

/** The alias that Hugging Face clients build themselves is a route only in compatibility mode. */
function tokenPathOf(target: string, compatible: boolean): TokenPath | undefined {
  const path = parseTokenPath(target)
  return path?.word === 'xet' && !compatible ? undefined : path
}

function answerPreflight(
  response: ServerResponse,
  headers: readonly string[],
  requestId: string,
): void {
  response.writeHead(204, [...headers, 'X-Request-Id', requestId, 'Cache-Control', 'no-store'])
  response.end()
}
