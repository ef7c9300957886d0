/** Answers requests by a table of routes. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerRefusal, isRefusal, pathOf, type Refusal } from '@latchkey/protocol'
import type { Serve } from './call.ts'
import { Call, type CallOptions } from './call.ts'
import { htmlType, isHtml } from './page/html.ts'
import { wantsPlainJson } from './request-headers.ts'
import { type Reply, type Route, routeFinder } from './routes.ts'

export interface ServingRoutes extends CallOptions {
  /** The answer to a target whose path has no route. */
  readonly notFound: (target: string) => Refusal
  /** Header lines that go with every answer, names and values in turn. */
  readonly headersFor?: (request: IncomingMessage) => readonly string[]
}

export function serveRoutes(routes: readonly Route[], serving: ServingRoutes): Serve {
  const findRoute = routeFinder(routes)
  const answer = async (call: Call): Promise<Answer> => {
    const { method = '', url = '' } = call.request
    const route = findRoute(method, pathOf(url)) ?? serving.notFound(url)
    if (isRefusal(route)) return refusalAnswer(route, call)
    const result = await call.attempt(() => route.handle(call))
    return isRefusal(result) ? refusalAnswer(result, call, route) : replyAnswer(result, call)
  }
  return async (request, response) => {
    const call = new Call(response, serving)
    try {
      send(response, await answer(call), serving.headersFor?.(request))
    } catch (error) {
      // An answer that cannot be sent costs one connection, not the process.
      serving.logFailure(error, call.requestId)
      response.destroy()
    }
  }
}

interface Answer {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: string | Uint8Array
  readonly endsConnection?: boolean
}

function replyAnswer(reply: Reply, { requestId }: Call): Answer {
  const { status = 200, contentType = 'application/json', cacheControl = 'no-store' } = reply
  const [body, type] = isHtml(reply.body)
    ? [reply.body.markup, htmlType]
    : [reply.body, contentType]
  const headers = [
    ...['Content-Type', type],
    ...['Content-Length', String(Buffer.byteLength(body))],
    ...['X-Request-Id', requestId],
    ...['Cache-Control', cacheControl],
    ...(reply.headers ?? []),
  ]
  return { status, headers, body }
}

const leavesBody: readonly string[] = ['body_too_large', 'request_timeout']

function refusalAnswer(
  refusal: Refusal,
  { request, requestId }: Call,
  { plainJson = false }: Partial<Route> = {},
): Answer {
  const isPlain = plainJson || wantsPlainJson(request.headers.accept)
  // The rest of a body that is not read to its end would be taken for the next request.
  const isReadInPart = request.readableDidRead && !request.complete
  const endsConnection = isReadInPart || leavesBody.includes(refusal.refused)
  return { ...answerRefusal(refusal, { requestId, plainJson: isPlain }), endsConnection }
}

function send(
  response: ServerResponse,
  { status, headers, body, endsConnection = false }: Answer,
  more: readonly string[] = [],
): void {
  if (endsConnection) response.shouldKeepAlive = false
  response.writeHead(status, [...headers, ...more])
  response.end(body)
}
