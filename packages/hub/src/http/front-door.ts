/** Where every request comes in: preflights and token requests are served at once, the rest by the framework. */

import type { ServerResponse } from 'node:http'
import { parseTokenPath, refuse, type TokenPath } from '@latchkey/protocol'
import { newId, type RandomBytes } from '../identity/random.ts'
import { type Cors, isPreflight } from './cors.ts'
import type { Serve } from './listener.ts'
import { answerRefusal } from './refusal-answer.ts'
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
      send(response, 204, [...cors.preflightHeadersFor(request), ...always(newId(randomBytes))])
      return
    }
    const path = tokenPathOf(request.url ?? '', compatible)
    if (path === undefined) serveRest(request, response)
    else void serveToken(request, response, path)
  }
}

/** What is said to requests that arrive on an open connection after the hub began to stop. */
export function refuseWhileStopping(randomBytes: RandomBytes): Serve {
  return (_request, response) => {
    const refusal = refuse('stopping', 'The hub is stopping. Try again in a moment.', {
      retryAfterSeconds: 1,
    })
    const { status, headers, body } = answerRefusal(refusal, { requestId: newId(randomBytes) })
    send(response, status, headers, body)
  }
}

/** The alias that Hugging Face clients build themselves is a route only in compatibility mode. */
function tokenPathOf(target: string, compatible: boolean): TokenPath | undefined {
  const path = parseTokenPath(target)
  return path?.word === 'xet' && !compatible ? undefined : path
}

function always(requestId: string): readonly string[] {
  return ['X-Request-Id', requestId, 'Cache-Control', 'no-store']
}

function send(response: ServerResponse, status: number, headers: readonly string[], body = '') {
  response.writeHead(status, [...headers])
  response.end(body)
}
