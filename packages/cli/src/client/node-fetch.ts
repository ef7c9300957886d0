/** As much of fetch as transfers need, over Node's HTTP client: the platform's own takes 50 ms to load. */

import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FetchAnswer, FetchInit } from '@latchkey/client/token-client'

export interface NodeAnswer extends FetchAnswer {
  readonly ok: boolean
  readonly statusText: string
  /** Nobody needs its body. A short one is read, so that the connection can be used again. */
  discard(): void
}

/** Redirects are not followed, and nothing is unpacked. */
export async function nodeFetch(url: string, init: FetchInit): Promise<NodeAnswer> {
  const { method = 'GET', body, signal } = init
  refuseOtherBodies(method, body)
  const headers = { ...always, ...Object.fromEntries(init.headers), ...framing(init) }
  const request = httpFor(url).request(url, {
    ...{ method, headers },
    ...(signal == null ? {} : { signal }),
  })
  giveUpInTime(request)
  return new Promise((resolve, reject) => {
    request.on('response', (response) => resolve(answerOf(response, method)))
    // Also after the answer: the storage may refuse what it has not read to its end.
    request.on('error', reject)
    const sent = sendBody(request, body)
    sent.catch(reject)
    // A change of protocol is neither; what broke the body tells more than its end.
    request.on('close', () => sent.then(() => reject(failed('ECONNRESET')), reject))
  })
}

const always = { 'accept-encoding': 'identity', 'user-agent': 'latchkey' }

/** Node would frame a stream by its method, and a DELETE not at all. */
function framing({ body, headers }: FetchInit): Record<string, string> {
  const hasLength = headers.some(([name]) => name === 'content-length')
  return body instanceof ReadableStream && !hasLength ? { 'transfer-encoding': 'chunked' } : {}
}

/** TLS is loaded for https alone: it takes 15 ms. */
function httpFor(url: string): Pick<typeof import('node:http'), 'request'> {
  return url.startsWith('https:')
    ? process.getBuiltinModule('node:https')
    : process.getBuiltinModule('node:http')
}

type Body = FetchInit['body']

function refuseOtherBodies(method: string, body: Body): void {
  if (body == null) return
  const mayHave = method !== 'GET' && method !== 'HEAD'
  const isBytes = body instanceof Uint8Array || body instanceof ReadableStream
  if (mayHave && (isBytes || typeof body === 'string')) return
  throw new TypeError('a body is text, bytes or a stream of bytes, and GET and HEAD have none')
}

async function sendBody(request: ClientRequest, body: Body): Promise<void> {
  if (body instanceof ReadableStream) await pipeline(body, request)
  else request.end(body)
}

const connectMs = 10_000
/** From the end of the request to the end of the answer's head; and how long a connection may stand still. */
const longestWaitMs = 300_000

function giveUpInTime(request: ClientRequest): void {
  const giveUp = () => request.destroy(failed('ETIMEDOUT'))
  let timer = setTimeout(giveUp, connectMs)
  let isAnswered = false
  const stop = () => clearTimeout(timer)
  request.setTimeout(longestWaitMs, giveUp)
  request.on('socket', (socket: Socket) => {
    if (socket.connecting) socket.once('connect', stop)
    else stop()
  })
  request.on('finish', () => {
    stop()
    if (!isAnswered) timer = setTimeout(giveUp, longestWaitMs)
  })
  request.on('response', () => {
    isAnswered = true
    stop()
  })
  request.on('close', stop)
}

function failed(code: string): Error {
  return Object.assign(new Error(code), { code })
}

const mostDiscardedBytes = 64 * 1024

function answerOf(response: IncomingMessage, method: string): NodeAnswer {
  const { statusCode: status = 0, statusMessage: statusText = '', headers } = response
  const discard = () => {
    let rest = mostDiscardedBytes
    response.on('error', () => {})
    response.on('data', ({ length }: Buffer) => {
      rest -= length
      if (rest < 0) response.destroy()
    })
  }
  const hasNone = method === 'HEAD' || status === 204
  // Unread, it would hold its connection.
  if (hasNone) discard()
  let body: ReadableStream<Uint8Array> | undefined
  return {
    ...{ status, statusText, ok: status >= 200 && status < 300, discard },
    headers: { get: (name) => textOf(headers[name.toLowerCase()]) },
    get body() {
      if (hasNone) return null
      body ??= Readable.toWeb(response) as ReadableStream<Uint8Array>
      return body
    },
  }
}

function textOf(value: string | string[] | undefined): string | null {
  return Array.isArray(value) ? value.join(', ') : (value ?? null)
}
