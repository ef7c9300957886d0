/** Sends signed requests to one bucket, and repeats those that may succeed later: ever more slowly, not for ever. */

import { createHash } from 'node:crypto'
import type { Agent } from 'node:http'
import { type ClientClock, readRetryAfter, retry } from '@latchkey/client/parts'
import { ask, type HttpAnswer } from '@latchkey/service/http/ask'
import { type S3Credentials, type S3Place, StoreUnavailable } from '../object-store.ts'
import type { S3Body } from './s3-client.ts'
import { encodedPath, type QueryField, queryOf, signedHeaders } from './sign-request.ts'
import {
  type AttemptContext,
  type FailedAttempt,
  failureOfAnswer,
  failureOfConnection,
  unavailable,
} from './store-errors.ts'

export interface S3Request {
  /** For messages: `write an object`. */
  readonly purpose: string
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Left out: the bucket itself. */
  readonly key?: string
  readonly query?: readonly QueryField[]
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: S3Body
  /** Statuses that the caller interprets, beside success. */
  readonly accepts?: readonly number[]
  /** The longest answer that is read within an attempt; if left out, the caller reads it. */
  readonly maxBytes?: number
}

export interface S3Answer {
  readonly status: number
  /** The code in the document of an error; empty if there is none. */
  readonly code: string
  /** Earlier attempts may have taken effect. */
  readonly isRepeated: boolean
  header(name: string): string | undefined
  /** Empty where the caller reads the body itself. */
  readonly bytes: Buffer
  readonly body: AsyncIterable<Uint8Array>
  /** For a body that is not read. */
  discard(): void
}

export interface CredentialSource {
  /** Good for some minutes at least. Throws `StoreUnavailable`. */
  current(): Promise<S3Credentials>
  /** Gets others, unless that was done since; false where there are no others. */
  replace(expired: S3Credentials): Promise<boolean>
}

export interface RequestDeps {
  readonly credentials: CredentialSource
  readonly agent: Agent
  readonly clock: ClientClock
  readonly random: () => number
  readonly retrySeconds: number
  readonly closing: AbortSignal
  /** Told of each request that has failed, after all of its attempts. */
  readonly onUnavailable: (failure: StoreUnavailable) => void
}

/** The store may be slow; a connection on which nothing moves for so long is lost. */
export const maxWaitMs = 60_000

export type SendRequest = (request: S3Request) => Promise<S3Answer>

export function requestsTo(place: S3Place, deps: RequestDeps): SendRequest {
  const { clock, random, retrySeconds, closing, onUnavailable } = deps
  return async (request) => {
    let tries = 0
    const outcome = await retry<S3Answer | FailedAttempt>(
      {
        attempt() {
          tries += 1
          return attempt(place, { ...request, isRepeated: tries > 1 }, deps)
        },
        againAfter: (outcome) =>
          'error' in outcome && outcome.again === 'later' ? outcome.afterSeconds : undefined,
      },
      { clock, random, retryTimeoutSeconds: retrySeconds, signal: closing },
    )
    if (!('error' in outcome)) return outcome
    if (outcome.error instanceof StoreUnavailable) onUnavailable(outcome.error)
    throw outcome.error
  }
}

interface RepeatedRequest extends S3Request {
  readonly isRepeated: boolean
}

async function attempt(
  place: S3Place,
  request: RepeatedRequest,
  deps: RequestDeps,
): Promise<S3Answer | FailedAttempt> {
  const context = { place, purpose: request.purpose, nowMs: deps.clock.wallMs() }
  try {
    const credentials = await deps.credentials.current()
    const outcome = await attemptWith(credentials, context, request, deps)
    if (!('error' in outcome) || outcome.again !== 'credentials') return outcome
    if (!(await deps.credentials.replace(credentials))) return outcome
    return await attemptWith(await deps.credentials.current(), context, request, deps)
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    const again = error.isLasting ? 'never' : 'later'
    return { error, again, afterSeconds: 0, status: 0, code: '' }
  }
}

async function attemptWith(
  credentials: S3Credentials,
  context: AttemptContext,
  request: RepeatedRequest,
  { agent, clock, closing }: RequestDeps,
): Promise<S3Answer | FailedAttempt> {
  const { place } = context
  const { method, body, maxBytes, query = [], accepts = [], isRepeated } = request
  const { origin, host, path } = addressOf(place, request.key)
  const headers = signedHeaders(
    { method, path, query, headers: { host, ...request.headers, ...headersOf(body) } },
    { credentials, region: place.region, atMs: context.nowMs },
  )
  const url = `${origin}${path}${query.length === 0 ? '' : `?${queryOf(query)}`}`
  const question = { method, headers, agent, maxWaitMs, signal: closing }
  const sent = body && sendable(body)
  try {
    const answer = await ask(url, { ...question, body: sent?.parts })
    if (!answer.isOk) {
      const failure = await failureOfAnswer(answer, context)
      const { status, code } = failure
      const isAccepted = accepts.includes(status) && code !== 'NoSuchBucket'
      if (isAccepted) return answerOf(answer, Buffer.alloc(0), { code, isRepeated })
      return { ...failure, afterSeconds: readRetryAfter(headersIn(answer), clock.wallMs()) }
    }
    const bytes = maxBytes === undefined ? Buffer.alloc(0) : await answer.read(maxBytes)
    if (bytes === undefined) return tooLong(context, answer.status)
    return answerOf(answer, bytes, { code: '', isRepeated })
  } catch (error) {
    closing.throwIfAborted()
    if (sent?.failure !== undefined) throw sent.failure
    return failureOfConnection(error, context)
  }
}

function answerOf(
  { status, header, body, discard }: HttpAnswer,
  bytes: Buffer,
  more: Pick<S3Answer, 'code' | 'isRepeated'>,
): S3Answer {
  return { status, header, body, discard, bytes, ...more }
}

function headersIn({ header }: HttpAnswer) {
  return { get: (name: string) => header(name) ?? null }
}

function tooLong(context: AttemptContext, status: number): FailedAttempt {
  const error = unavailable(context, 'its answer is longer than any that is expected')
  return { error, again: 'never', afterSeconds: 0, status, code: '' }
}

export interface S3Address {
  readonly origin: string
  readonly host: string
  /** Encoded. */
  readonly path: string
}

/** The address of a key; without one, that of the bucket. */
export function addressOf(
  { bucket, prefix, isPathStyle, endpoint }: S3Place,
  key: string | undefined,
): S3Address {
  const { protocol, host: own } = new URL(endpoint)
  const host = isPathStyle ? own : `${bucket}.${own}`
  const folder = isPathStyle ? `/${bucket}` : ''
  if (key !== undefined) checkKey(`${prefix}${key}`)
  const path = `${folder}${key === undefined ? '' : `/${encodedPath(`${prefix}${key}`)}`}`
  return { origin: `${protocol}//${host}`, host, path: path === '' ? '/' : path }
}

/** Such a name would be another one after a client or a proxy has resolved it. */
function checkKey(name: string): void {
  if (name.split('/').some((part) => ['', '.', '..'].includes(part))) {
    throw new TypeError('a key has an empty part, or one that is a dot or two')
  }
}

const nothingHash = createHash('sha256').digest('hex')

/** A long body is read once: its chunks are checked wherever it is read, and TLS guards it on its way. */
function headersOf(body: S3Body | undefined): Readonly<Record<string, string>> {
  if (body === undefined) return { 'x-amz-content-sha256': nothingHash }
  if (!(body instanceof Uint8Array)) return { 'content-length': String(body.bytes) }
  return {
    'content-length': String(body.length),
    'x-amz-content-sha256': createHash('sha256').update(body).digest('hex'),
  }
}

interface SentBody {
  readonly parts: Uint8Array | AsyncIterable<Uint8Array>
  /** Why its bytes cannot be read here: no fault of the store. */
  failure?: unknown
}

function sendable(body: S3Body): SentBody {
  if (body instanceof Uint8Array) return { parts: body }
  const sent: SentBody = {
    parts: counted(body.open(), body.bytes, (error) => (sent.failure = error)),
  }
  return sent
}

/** A shorter body would leave the store waiting, and a longer one would be the next request. */
async function* counted(
  parts: AsyncIterable<Uint8Array>,
  promised: number,
  fail: (error: unknown) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0
  try {
    for await (const part of parts) {
      bytes += part.length
      if (bytes > promised) break
      yield part
    }
    if (bytes !== promised) {
      throw new Error(`a body of ${promised} bytes has another length when it is read`)
    }
  } catch (error) {
    fail(error)
    throw error
  }
}
