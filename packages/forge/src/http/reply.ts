/** What a route answers with, and how it is sent. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type AnyId, answerRefusal, type Refusal } from '@latchkey/protocol'
import { endAfterRequest } from '@latchkey/service/end-after-request'

export interface Reply {
  /** 200 if not given. */
  readonly status?: number
  /** Beside those that every answer has, names and values in turn. */
  readonly headers?: readonly string[]
  readonly body: string | Uint8Array | Streamed
}

export interface Streamed {
  /** Undefined where nobody knows it before the end. */
  readonly length: number | undefined
  readonly parts: AsyncIterable<Uint8Array>
  /** Whether a git process waits until the client has read it. */
  readonly holdsGit?: boolean
}

export function json(value: unknown, more: Omit<Reply, 'body'> = {}): Reply {
  const headers = ['Content-Type', 'application/json', ...(more.headers ?? [])]
  return { ...more, headers, body: JSON.stringify(value) }
}

export interface Sending {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: AnyId
}

export async function sendReply(
  { status = 200, headers = [], body }: Reply,
  { request, response, requestId }: Sending,
): Promise<void> {
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
    ...headers,
  ])
  if (request.method === 'HEAD') response.end()
  else if (isStreamed) await pipeline(Readable.from(body.parts, { objectMode: false }), response)
  else response.end(body)
}

/** Git asks for a password only where Basic is offered. */
const basicChallenge = ['WWW-Authenticate', 'Basic realm="latchkey"']

/** Clients of other hubs read plain JSON. */
export function sendRefusal(
  refusal: Refusal,
  { request, response, requestId }: Sending,
  { isGit }: { readonly isGit: boolean },
): void {
  const { status, headers, body } = answerRefusal(refusal, { requestId, plainJson: true })
  const lines =
    isGit && status === 401 ? [...withoutChallenge(headers), ...basicChallenge] : headers
  // The rest of a body that is not read to its end would be taken for the next request.
  if (!request.complete) response.shouldKeepAlive = false
  const text = isGit ? withMessage(body) : body
  response.writeHead(status, withLength(lines, text))
  if (request.method === 'HEAD') response.end()
  else endAfterRequest(request, response, text)
}

/** The member that git-lfs shows. */
function withMessage(body: string): string {
  const problem: { readonly detail: string } = JSON.parse(body)
  return JSON.stringify({ ...problem, message: problem.detail })
}

function withLength(headers: readonly string[], body: string): string[] {
  const at = headers.indexOf('Content-Length')
  return headers.toSpliced(at, 2, 'Content-Length', String(Buffer.byteLength(body)))
}

function withoutChallenge(headers: readonly string[]): readonly string[] {
  const at = headers.indexOf('WWW-Authenticate')
  return at === -1 ? headers : headers.toSpliced(at, 2)
}
