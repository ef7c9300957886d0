/** As much of fetch as transfers need, over Node's HTTP client: the platform's own takes 50 ms to load. */

import type { ClientRequest, IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { FetchAnswer } from '@latchkey/client'

/** How long a connection may stand still. */
const timeoutMs = 300_000

export interface NodeAnswer extends FetchAnswer {
  readonly ok: boolean
  readonly statusText: string
  bytes(): Promise<Buffer>
}

/** Redirects are not followed, and nothing is unpacked. */
export function nodeFetch(url: string, init: RequestInit): Promise<NodeAnswer> {
  const { method = 'GET', headers = {}, body, signal } = init
  const request = httpFor(url).request(url, {
    ...{ method, headers: Object.fromEntries(Object.entries(headers)), timeout: timeoutMs },
    ...(signal == null ? {} : { signal }),
  })
  request.on('timeout', () => request.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' })))
  return new Promise((resolve, reject) => {
    request.on('response', (response) => resolve(answerOf(response, method)))
    // Also after the answer: the storage may refuse what it has not read to its end.
    request.on('error', reject)
    sendBody(request, body).catch(reject)
  })
}

/** TLS is loaded for https alone: it takes 15 ms. */
function httpFor(url: string): Pick<typeof import('node:http'), 'request'> {
  return url.startsWith('https:')
    ? process.getBuiltinModule('node:https')
    : process.getBuiltinModule('node:http')
}

async function sendBody(request: ClientRequest, body: RequestInit['body']): Promise<void> {
  if (body instanceof ReadableStream) await pipeline(body, request)
  else if (body == null || typeof body === 'string' || body instanceof Uint8Array) {
    request.end(body)
  } else throw new TypeError('a body is text, bytes, or a stream of bytes')
}

function answerOf(response: IncomingMessage, method: string): NodeAnswer {
  const { statusCode: status = 0, statusMessage: statusText = '', headers } = response
  const hasNone = method === 'HEAD' || status === 204
  // Unread, it would hold its connection.
  if (hasNone) response.resume()
  let body: ReadableStream<Uint8Array> | undefined
  return {
    ...{ status, statusText, ok: status >= 200 && status < 300 },
    headers: { get: (name) => textOf(headers[name.toLowerCase()]) },
    get body() {
      if (hasNone) return null
      body ??= Readable.toWeb(response) as ReadableStream<Uint8Array>
      return body
    },
    bytes: () => buffer(response),
  }
}

function textOf(value: string | string[] | undefined): string | null {
  return Array.isArray(value) ? value.join(', ') : (value ?? null)
}
