import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Serve } from '@latchkey/service/http/call'
import { newId, type RandomBytes } from '@latchkey/service/machine/random'
import { asksBeforehand, type HubCors } from './cors.ts'
import type { ServeTokenRequest } from './serve-token-request.ts'

export interface ServeRequestDeps {
  readonly cors: HubCors
  readonly randomBytes: RandomBytes
  readonly serveToken: ServeTokenRequest
  readonly serveRoute: Serve
  /** Serves targets that the hub has no route for; false, and nothing done, where it has none either. */
  readonly serveBeside: ServeBeside | undefined
  /** The rules for a preflight of what is served beside; undefined where nothing is. */
  readonly corsBeside: (method: string, target: string) => HubCors | undefined
  /** Whether the hub has a route there itself. */
  readonly isOwn: (target: string) => boolean
}

export type ServeBeside = (request: IncomingMessage, response: ServerResponse) => boolean

export function serveRequest(deps: ServeRequestDeps): Serve {
  const { cors, randomBytes, serveToken, serveRoute, serveBeside, corsBeside, isOwn } = deps
  const isServedBeside: ServeBeside = (request, response) =>
    serveBeside !== undefined && !isOwn(request.url ?? '') && serveBeside(request, response)
  return (request, response) => {
    if (asksBeforehand(request)) {
      const { url = '', headers } = request
      const method = headers['access-control-request-method'] ?? ''
      const rules = (isOwn(url) ? undefined : corsBeside(method, url)) ?? cors
      answerPreflight(response, rules.preflightHeadersFor(request), newId(randomBytes))
    } else if (!(serveToken(request, response) || isServedBeside(request, response))) {
      serveRoute(request, response)
    }
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
