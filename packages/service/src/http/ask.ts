/**
 * The one way in which our services and commands send HTTP requests, over Node's client: the platform's fetch takes 50 ms
 * to load. In workerd it is fetch. Redirects are not followed, and nothing is unpacked.
 */

import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { Socket } from 'node:net'
import { areRequestsApart } from '../machine/runtime.ts'
import { readAtMost } from './bodies.ts'
import { writePart } from './write-part.ts'

export interface HttpQuestion {
  /** POST where there is a body, GET otherwise. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** A part is no longer needed when the next is asked for. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array> | null | undefined
  /** Its reason is the error of the question, or of the reading of its answer. */
  readonly signal?: AbortSignal | null | undefined
  /** The connections to use, of the protocol of the URL; if left out, those that all questions share. */
  readonly agent?: Agent | undefined
  /**
   * From the end of the request to the end of the answer's head, and how long a connection may stand still.
   * @default 300_000
   */
  readonly maxWaitMs?: number | undefined
}

/** A redirect too is an answer. Its body must be read or discarded: until then it holds its connection. */
export interface HttpAnswer {
  readonly status: number
  readonly statusText: string
  readonly isOk: boolean
  /** Undefined where it is absent. */
  header(name: string): string | undefined
  readonly body: AsyncIterable<Uint8Array>
  /** Undefined when there are more bytes than `max`; the connection is closed then. */
  read(max: number): Promise<Buffer | undefined>
  /** Reads a short rest, so that the connection can be used again; a longer one closes it. */
  discard(): void
}

/** Fails with `fetch failed`, whose cause has the code of the system. */
export function ask(url: string, question: HttpQuestion = {}): Promise<HttpAnswer> {
  if (areRequestsApart) return askByFetch(url, question)
  const { request } = httpFor(url)
  return send((options) => request(url, options), question)
}

/** The server may have closed a kept connection since; the second try opens a new one. For what may be done twice. */
export async function askTwice(
  url: string,
  question: HttpQuestion & { readonly body?: string },
): Promise<HttpAnswer> {
  try {
    return await ask(url, question)
  } catch (error) {
    if (areRequestsApart || question.signal?.aborted) throw error
    const { Agent, globalAgent, request } = httpFor(url)
    const agent = new Agent({ ...Object(globalAgent).options, keepAlive: false })
    return send((options) => request(url, { ...options, agent }), question)
  }
}

/** Why a question failed: the code of the system where there is one, and `late` where its time was over. */
export function reasonOf(error: unknown, late: string): string {
  if (!(error instanceof Error)) return 'it failed'
  if (error.name === 'TimeoutError') return late
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  return 'code' in cause ? String(cause.code) : cause.message
}

/** TLS is loaded for https alone: it takes 15 ms. */
function httpFor(
  url: string,
): Pick<typeof import('node:http'), 'Agent' | 'globalAgent' | 'request'> {
  return url.startsWith('https:')
    ? process.getBuiltinModule('node:https')
    : process.getBuiltinModule('node:http')
}

const always = { 'accept-encoding': 'identity', 'user-agent': 'latchkey' }

function methodOf({ method, body }: HttpQuestion): string {
  return method ?? (body == null ? 'GET' : 'POST')
}

/** A connection of workerd belongs to one request, so none is kept that the server may have closed. */
async function askByFetch(url: string, question: HttpQuestion): Promise<HttpAnswer> {
  const { headers, body = null, signal = null } = question
  try {
    const init = { method: methodOf(question), headers: { ...always, ...headers } }
    const response = await fetch(url, { ...init, body, redirect: 'manual', signal } as RequestInit)
    const { status, statusText, ok } = response
    return {
      ...{ status, statusText, isOk: ok, body: response.body ?? ReadableStream.from([]) },
      header: (name) => response.headers.get(name) ?? undefined,
      read: (max) => readAtMost(response.body ?? [], max),
      discard: () => void response.body?.cancel().catch(() => {}),
    }
  } catch (error) {
    throw failureOf(error, signal)
  }
}

type Send = (options: RequestOptions) => ClientRequest

async function send(open: Send, question: HttpQuestion): Promise<HttpAnswer> {
  const { headers, signal, agent, maxWaitMs = 300_000 } = question
  signal?.throwIfAborted()
  try {
    const sent = { method: methodOf(question), headers: { ...always, ...headers } }
    const request = open(agent === undefined ? sent : { ...sent, agent })
    endWith(signal, request)
    giveUpInTime(request, maxWaitMs)
    const response = await responseTo(request, question)
    endWith(signal, response)
    return answerOf(response, signal)
  } catch (error) {
    throw failureOf(error, signal)
  }
}

function endWith(signal: HttpQuestion['signal'], one: ClientRequest | IncomingMessage): void {
  const end = () => void one.destroy()
  signal?.addEventListener('abort', end)
  one.on('close', () => signal?.removeEventListener('abort', end))
}

const connectMs = 10_000

function giveUpInTime(request: ClientRequest, maxWaitMs: number): void {
  const giveUp = () => request.destroy(failed('ETIMEDOUT'))
  let timer = setTimeout(giveUp, connectMs)
  let isAnswered = false
  const stop = () => clearTimeout(timer)
  request.setTimeout(maxWaitMs, giveUp)
  request.on('socket', (socket: Socket) => {
    if (!socket.connecting) stop()
    else socket.once(request.protocol === 'https:' ? 'secureConnect' : 'connect', stop)
  })
  request.on('finish', () => {
    stop()
    if (!isAnswered) timer = setTimeout(giveUp, maxWaitMs)
  })
  request.on('response', () => {
    isAnswered = true
    stop()
  })
  request.on('close', stop)
}

function responseTo(
  request: ClientRequest,
  { body, signal }: HttpQuestion,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // Deno does not tell that a request on a kept connection was destroyed.
    signal?.addEventListener('abort', reject, { once: true })
    let isAnswered = false
    request.on('response', (response) => {
      isAnswered = true
      resolve(response)
    })
    // Also after the response, where nobody else would hear it: the server may refuse what it has not read to its end.
    request.on('error', reject)
    const sent = sendBody(request, body)
    sent.catch(reject)
    request.on('close', () => {
      signal?.removeEventListener('abort', reject)
      // A change of protocol is neither; what broke the body tells more than its end.
      if (!isAnswered) sent.then(() => reject(failed('ECONNRESET')), reject)
    })
  })
}

async function sendBody(request: ClientRequest, body: HttpQuestion['body']): Promise<void> {
  if (body == null || typeof body === 'string' || body instanceof Uint8Array) {
    return void request.end(body)
  }
  try {
    for await (const part of body) await writePart(request, part)
    request.end()
  } catch (error) {
    request.destroy()
    throw error
  }
}

const maxDiscardedBytes = 64 * 1024

function answerOf(response: IncomingMessage, signal: HttpQuestion['signal']): HttpAnswer {
  const { statusCode: status = 0, statusMessage: statusText = '', headers } = response
  return {
    ...{ status, statusText, isOk: status >= 200 && status < 300, body: response },
    header(name) {
      const value = headers[name.toLowerCase()]
      return Array.isArray(value) ? value.join(', ') : value
    },
    async read(max) {
      try {
        return await readAtMost(response, max)
      } catch (error) {
        throw failureOf(error, signal)
      }
    },
    discard() {
      let rest = maxDiscardedBytes
      response.on('error', () => {})
      response.on('data', ({ length }: Buffer) => {
        rest -= length
        if (rest < 0) response.destroy()
      })
    },
  }
}

function failed(code: string): Error {
  return Object.assign(new Error(code), { code })
}

function failureOf(error: unknown, signal: HttpQuestion['signal']): unknown {
  return signal?.aborted ? signal.reason : new Error('fetch failed', { cause: error })
}

const named = 'name it, or the certificate of its issuer, with --ca-cert FILE'

const unknownIssuer = `the issuer of its certificate is not known here; ${named}`

const noTls =
  'what answers there does not speak TLS, or no version of it that fits; it may serve plain http'

/** By the code of the system. `--ca-cert` stands only where it would help. */
const reasons: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: `its certificate is self-signed; ${named}`,
  SELF_SIGNED_CERT_IN_CHAIN: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownIssuer,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownIssuer,
  CERT_UNTRUSTED: unknownIssuer,
  CERT_SIGNATURE_FAILURE:
    'its certificate is not signed by the issuer that is known here under this name; --ca-cert may name an older or another certificate of the issuer',
  CERT_HAS_EXPIRED:
    'its certificate, or that of its issuer, has expired; its operator must renew it',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet; compare the clocks of both machines',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is for another host name; use the name that the certificate has',
  EPROTO: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
}

/** Undefined for a code that has nothing to do with certificates. */
export function tlsReason(code: unknown): string | undefined {
  return typeof code === 'string' && Object.hasOwn(reasons, code) ? reasons[code] : undefined
}
