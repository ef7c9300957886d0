/** Where every request comes in: preflights and token requests are served at once, the rest by the framework. */

import type { ServerResponse } from 'node:http'
import { parseTokenPath, type TokenPath } from '@latchkey/protocol'
import { newId, type RandomBytes } from '../identity/random.ts'
import { type Cors, isPreflight } from './cors.ts'
import type { Serve } from './listener.ts'
import type { ServeTokenRequest } from './serve-token-request.ts'

export interface FrontDoor {
  readonly cors: Cors
  readonly compatible: boolean
  readonly randomBytes: RandomBytes
  readonly serveToken: ServeTokenRequest
  readonly serveRest: Serve
}

export function frontDoor({
  cors,
  compatible,
  randomBytes,
  serveToken,
  serveRest,
}: FrontDoor): Serve {
  return (request, response) => {
    if (isPreflight(request)) {
      answerPreflight(response, cors.preflightHeadersFor(request), newId(randomBytes))
      return
    }
    const path = tokenPathOf(request.url ?? '', compatible)
    if (path === undefined) serveRest(request, response)
    else void serveToken(request, response, path)
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
