/** The reply of a route, and how the server sends it. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { type AnyId, answerRefusal, type Refusal } from '@latchkey/protocol'
import { readAtPace } from '@latchkey/service/http/bodies'
import { type Html, htmlType, isHtml } from '@latchkey/service/http/html'
import { endAfterRequest } from '@latchkey/service/http/response-end'
import { jsonSlices, sliceLength, slicesInTurn } from './json-slices.ts'

export interface ForgeReply {
  /** 200 if not given. */
  readonly status?: number
  /** Beside those that every answer has, names and values in turn. */
  readonly headers?: readonly string[]
  /** A page is `Html`, and nothing else is sent as one. */
  readonly body: string | Uint8Array | StreamedBody | Html
}

export interface StreamedBody {
  /** Undefined where nobody knows it before the end. */
  readonly length: number | undefined
  readonly parts: AsyncIterable<Uint8Array>
}

/** A value that is longer than a slice is streamed. */
export function json(value: unknown, more: Omit<ForgeReply, 'body'> = {}): ForgeReply {
  const headers = ['Content-Type', 'application/json', ...(more.headers ?? [])]
  const slices = jsonSlices(value)
  const first = slices.next().value ?? ''
  if (first.length < sliceLength) return { ...more, headers, body: first }
  return { ...more, headers, body: { length: undefined, parts: slicesInTurn(first, slices) } }
}

/** Waits for the first part of a stream: when there is no room for a git process, a refusal can still be sent. */
export async function beginReply(reply: ForgeReply): Promise<ForgeReply> {
  const { body } = reply
  if (typeof body === 'string' || !('parts' in body)) return reply
  const parts = body.parts[Symbol.asyncIterator]()
  const first = await parts.next()
  const rest = { [Symbol.asyncIterator]: () => parts }
  return { ...reply, body: { ...body, parts: joined(first, rest) } }
}

async function* joined(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (first.done) return
  yield first.value
  yield* rest
}

export interface Sending {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: AnyId
}

export async function sendReply(
  { status = 200, headers = [], ...reply }: ForgeReply,
  { request, response, requestId }: Sending,
): Promise<void> {
  const [body, ofPage] = isHtml(reply.body)
    ? [reply.body.markup, ['Content-Type', htmlType]]
    : [reply.body, []]
  const isStreamed = typeof body === 'object' && 'parts' in body
  const length = isStreamed ? body.length : Buffer.byteLength(body)
  response.writeHead(status, [
    ...(length === undefined ? [] : ['Content-Length', String(length)]),
    ...[
      'X-Request-Id',
      requestId,
      'Cache-Control',
      'no-store',
      'X-Content-Type-Options',
      'nosniff',
    ],
    ...ofPage,
    ...headers,
  ])
  if (request.method === 'HEAD') response.end()
  else if (isStreamed) {
    const parts = readAtPace(body.parts, () => response.destroy())
    await pipeline(parts, response)
  } else response.end(body)
}

/** Git asks for a password only where Basic is offered, and git-lfs reads a header of its own as well. */
const basicChallenge = ['WWW-Authenticate', 'Basic realm="latchkey"']
const lfsChallenge = ['LFS-Authenticate', 'Basic realm="latchkey"']

export const lfsType = 'application/vnd.git-lfs+json'
/** As git-lfs knows it: this hub has another status for content that is not what it was said to be. */
const unprocessable = 422

/** Clients of other hubs read plain JSON. */
export function sendRefusal(
  refusal: Refusal,
  { request, response, requestId }: Sending,
  { isGit }: { readonly isGit: boolean },
): void {
  const plainResponse = answerRefusal(refusal, { requestId, plainJson: true })
  const { status, headers, body } = isGit ? forGit(plainResponse, request) : plainResponse
  // The rest of a body that is not read to its end would be taken for the next request.
  if (!request.complete) response.shouldKeepAlive = false
  response.writeHead(status, [...headers])
  if (request.method === 'HEAD') response.end()
  else endAfterRequest(request, response, body)
}

type Told = Pick<ReturnType<typeof answerRefusal>, 'status' | 'headers' | 'body'>

/** Git shows its user plain text alone, git-lfs the member `message` alone. */
function forGit(refused: Told, { url = '' }: IncomingMessage): Told {
  const { headers, body } = refused
  const problem: { readonly code?: unknown; readonly detail: string } = JSON.parse(body)
  const isLfs = url.includes('/info/lfs/')
  const isOfContent = isLfs && problem.code === 'content_invalid'
  const status = isOfContent ? unprocessable : refused.status
  const text = isLfs
    ? JSON.stringify({ ...problem, status, message: problem.detail })
    : `${problem.detail}\n`
  const own = [
    ...['Content-Length', String(Buffer.byteLength(text))],
    ...['Content-Type', isLfs ? lfsType : 'text/plain; charset=utf-8'],
    ...['X-Content-Type-Options', 'nosniff'],
    ...(status === 401 ? basicChallenge : []),
    ...(status === 401 && isLfs ? lfsChallenge : []),
  ]
  return { status, headers: replaced(headers, own), body: text }
}

function replaced(headers: readonly string[], own: readonly string[]): readonly string[] {
  const isOwn = (name: string) => own.some((word, at) => at % 2 === 0 && word === name)
  const otherHeaders = headers.filter((_, at) => !isOwn(headers[at - (at % 2)] ?? ''))
  return [...otherHeaders, ...own]
}
