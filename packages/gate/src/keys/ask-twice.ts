/** Asks a hub, over Node's HTTP client: Node takes 50 ms to load its fetch. In workerd it is fetch. */

import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { Socket } from 'node:net'
import { readAtMost } from '@latchkey/service/http/read-at-most'
import { areRequestsApart } from '../platform/requests-apart.ts'

export interface Question {
  readonly headers: Readonly<Record<string, string>>
  /** Sent with POST; without it the question is a GET. */
  readonly body?: string
  /** Its reason is what the question, or the reading of its answer, fails with. */
  readonly signal: AbortSignal
}

/** A redirect too is an answer. Its body must be read or discarded: until then it holds its connection. */
export interface Answer {
  readonly status: number
  /** Undefined when there is more than `most`; the connection is closed then. */
  read(most: number): Promise<Buffer | undefined>
  discard(): void
}

/** The hub may have closed a kept connection since; the second try opens a new one. */
export async function askTwice(url: string, question: Question): Promise<Answer> {
  if (areRequestsApart) return askByFetch(url, question)
  const { Agent, globalAgent, request } = httpFor(url)
  const ask = (agent: RequestOptions['agent']) =>
    askOnce((options) => request(url, { ...options, agent }), question)
  try {
    return await ask(globalAgent)
  } catch (error) {
    if (question.signal.aborted) throw error
    return ask(new Agent({ ...Object(globalAgent).options, keepAlive: false }))
  }
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

/** A connection of workerd belongs to one request, so none is kept that the hub may have closed. */
async function askByFetch(url: string, { headers, body, signal }: Question): Promise<Answer> {
  try {
    const response = await fetch(url, {
      ...{ method: body === undefined ? 'GET' : 'POST', headers: { ...always, ...headers } },
      ...{ body: body ?? null, redirect: 'manual', signal },
    })
    return {
      status: response.status,
      read: (most) => readAtMost(response.body ?? [], most),
      discard: () => void response.body?.cancel().catch(() => {}),
    }
  } catch (error) {
    throw failureOf(error, signal)
  }
}

async function askOnce(
  open: (options: RequestOptions) => ClientRequest,
  { headers, body, signal }: Question,
): Promise<Answer> {
  signal.throwIfAborted()
  try {
    const method = body === undefined ? 'GET' : 'POST'
    const request = open({ method, headers: { ...always, ...headers } })
    endWith(signal, request)
    connectInTime(request)
    const response = await responseTo(request, { body, signal })
    endWith(signal, response)
    return answerOf(response, signal)
  } catch (error) {
    throw failureOf(error, signal)
  }
}

function endWith(signal: AbortSignal, one: ClientRequest | IncomingMessage): void {
  const end = () => void one.destroy()
  signal.addEventListener('abort', end)
  one.on('close', () => signal.removeEventListener('abort', end))
}

const connectMs = 10_000

function connectInTime(request: ClientRequest): void {
  const giveUp = () => request.destroy(failed('ETIMEDOUT'))
  const timer = setTimeout(giveUp, connectMs)
  const stop = () => clearTimeout(timer)
  request.on('socket', (socket: Socket) => {
    if (!socket.connecting) stop()
    else socket.once(request.protocol === 'https:' ? 'secureConnect' : 'connect', stop)
  })
  request.on('close', stop)
}

function responseTo(
  request: ClientRequest,
  { body, signal }: { readonly body: string | undefined; readonly signal: AbortSignal },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // Deno does not tell that a request on a kept connection was destroyed.
    signal.addEventListener('abort', reject, { once: true })
    request.on('response', resolve)
    // Also after the response, where nobody else would hear it.
    request.on('error', reject)
    // A change of protocol is neither.
    request.on('close', () => reject(failed('ECONNRESET')))
    request.end(body)
  })
}

function answerOf(response: IncomingMessage, signal: AbortSignal): Answer {
  return {
    status: response.statusCode ?? 0,
    async read(most) {
      try {
        return await readAtMost(response, most)
      } catch (error) {
        throw failureOf(error, signal)
      }
    },
    discard: () => void response.destroy(),
  }
}

function failed(code: string): Error {
  return Object.assign(new Error(code), { code })
}

function failureOf(error: unknown, signal: AbortSignal): unknown {
  return signal.aborted ? signal.reason : new Error('fetch failed', { cause: error })
}
