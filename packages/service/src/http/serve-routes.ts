import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerRefusal, isRefusal, type Refusal } from '@latchkey/protocol'
import { Call, type CallOptions, type Serve } from './call.ts'
import { type Html, htmlType, isHtml } from './page/html.ts'
import { wantsPlainJson } from './request-headers.ts'
import { type RawValues, type RouteRow, routeTable } from './route-table.ts'

export interface Route extends RouteRow {
  readonly handle: Handle
  /** Sends the handler's refusals as plain JSON, whatever the client accepts. */
  readonly plainJson?: boolean
}

/** The values are raw segments of the path, by the names that the route's path has for them. */
export type Handle = (call: Call, values: RawValues) => Reply | Refusal | Promise<Reply | Refusal>

export interface Reply {
  /** 200 if not given. */
  readonly status?: number
  /** `application/json` if not given, and never that of a page: a page is `Html`. */
  readonly contentType?: ContentType
  /** `no-store` if not given. */
  readonly cacheControl?: string
  /** Header lines beside those that every answer has, names and values in turn. */
  readonly headers?: readonly string[]
  readonly body: string | Uint8Array | Html
}

export type ContentType = `application/${string}` | `text/plain${string}`

export interface ServeRoutesDeps extends CallOptions {
  /** The answer to a target whose path has no route. */
  readonly notFound: (target: string) => Refusal
  /** Header lines that go with every answer, names and values in turn. */
  readonly headersFor?: (request: IncomingMessage) => readonly string[]
}

export function serveRoutes(routes: readonly Route[], serving: ServeRoutesDeps): Serve {
  const findRoute = routeTable(routes)
  const answer = async (call: Call): Promise<Answer> => {
    const { method = '', url = '' } = call.request
    const found = findRoute(method, url) ?? serving.notFound(url)
    if (isRefusal(found)) return refusalAnswer(found, call)
    const { row, values } = found
    const result = await call.attempt(() => row.handle(call, values))
    return isRefusal(result) ? refusalAnswer(result, call, row) : replyAnswer(result, call)
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
