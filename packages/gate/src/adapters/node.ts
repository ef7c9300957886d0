/** The gate for `node:http` servers and for connect and express, whose handlers take the same two objects. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type OptionTypes, refuseOptions } from '@latchkey/protocol'
import { headerPairs } from '@latchkey/service/http/headers'
import {
  isOver,
  resetConnection,
  whenEitherCloses,
  whenOver,
} from '@latchkey/service/http/response-end'
import { CannotStart } from '@latchkey/service/machine/errors'
import type { Admission, Gate } from '../check/create-gate.ts'
import type { RawRequest } from '../request/read-request.ts'
import {
  type AdmittedRequest,
  type AuthenticatorOptions,
  authenticatorTypes,
  publicAuthenticator,
  watchRequest,
} from './authenticate.ts'
import { type ProblemOptions, problemAnswer } from './problem.ts'

export interface NodeGuardOptions extends AuthenticatorOptions {
  /**
   * Where forged tokens are counted: the socket's address unless a trusted proxy tells better.
   *
   * @default the socket's address
   */
  readonly addressOf?: (request: IncomingMessage) => string | undefined
}

const types: OptionTypes<NodeGuardOptions> = { ...authenticatorTypes, addressOf: 'function' }

export type Next = (error?: unknown) => void

export type Middleware = (request: IncomingMessage, response: ServerResponse, next: Next) => void

/**
 * Sends an error response of your storage in the form of the gate's own.
 *
 * @example
 * ```ts
 * sendProblem(response, { code: 'entry_not_found', detail: 'There is no such file. List the files for their names.' })
 * ```
 */
export function sendProblem(response: ServerResponse, options: ProblemOptions): void {
  const { status, headers, body } = problemAnswer(options)
  response.writeHead(status, [...headers]).end(body)
}

const admittedRequests = new WeakMap<IncomingMessage, AdmittedRequest>()

/**
 * Middleware that calls `next` for admitted requests and answers the others; put it before all that
 * serves.
 *
 * @example
 * ```ts
 * const app = express()
 * app.use(guardNode(gate))
 * ```
 */
export function guardNode(gate: Gate, options: NodeGuardOptions = {}): Middleware {
  refuseOptions('guardNode', options, types, CannotStart)
  const { addressOf = ({ socket }) => socket.remoteAddress, ...others } = options
  const receive = publicAuthenticator(gate, others)
  return function latchkeyGate(request, response, next) {
    receive(gateRequestOf(request, addressOf(request))).then((received) => {
      if (!received.ok) {
        const { status, headers, body } = received.answer
        // The rest of the body would be read as the next request.
        response.shouldKeepAlive &&= request.complete
        response.writeHead(status, [...headers])
        response.end(body)
        return
      }
      if (received.admitted !== undefined) {
        admit(request, abortWhenRevoked(gate, received.admitted, response))
      }
      for (const [name, value] of headerPairs(received.headers)) response.appendHeader(name, value)
      next()
    }, next)
  }
}

/**
 * Resets the connection of a request whose token is revoked, because only the handler may respond. A handler may respond
 * before the upload has arrived, and read on.
 */
export function abortWhenRevoked(
  gate: Gate,
  admitted: Admission,
  response: ServerResponse,
): AdmittedRequest {
  const { req: request } = response
  const watch = watchRequest(gate, admitted, () => {
    const isResponded = isOver(response)
    // Another request may be under way on the connection of one that is over.
    if (!isResponded || !request.complete) resetConnection(request.socket)
    // Node does not tell the request that its connection is closed once it was responded to.
    if (isResponded) request.destroy(new Error('the token of this upload has been revoked'))
  })
  whenOver(response, () => whenReceived(request, watch.end))
  return watch.admitted
}

function whenReceived(request: IncomingMessage, act: () => void): void {
  const { socket } = request
  if (request.complete || request.closed || socket.destroyed) act()
  else whenEitherCloses(request, socket, act)
}

/** For adapters on top of `node:http`: `admittedOf` finds it. */
export function admit(request: IncomingMessage, admitted: AdmittedRequest): void {
  admittedRequests.set(request, admitted)
}

/**
 * The gate's admission of this request. Throws for a request of a public route, which has none.
 *
 * @example
 * ```ts
 * app.get('/{*path}', (request, response) => {
 *   const { grant, path } = admittedOf(request)
 *   response.send(`${grant.subject} may ${grant.scope} ${path}`)
 * })
 * ```
 */
export function admittedOf(request: IncomingMessage): AdmittedRequest {
  const admitted = admittedRequests.get(request)
  if (admitted === undefined)
    throw new Error(
      'this request has not passed the gate, or its route is public: put guardNode before the handler, and read no grant on public routes',
    )
  return admitted
}

export function gateRequestOf(request: IncomingMessage, address: string | undefined): RawRequest {
  const { method = '', rawHeaders: headers } = request
  return { method, target: routedTarget(request), headers, address }
}

/** Express cuts the path it is mounted at off `url`. A URL that was rewritten is judged as it will be routed. */
function routedTarget(request: IncomingMessage): string {
  const { url = '' } = request
  if (!('originalUrl' in request)) return url
  const original = String(request.originalUrl)
  const base = 'baseUrl' in request ? String(request.baseUrl) : ''
  // At the mount's own path `url` is a slash that was never sent.
  const isAsItCame = [url, url.slice(1)].some((rest) => original === base + rest)
  return isAsItCame ? original : base + url
}
