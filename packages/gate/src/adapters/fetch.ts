/** The gate for handlers that turn a Request into a Response: Hono, Bun, Deno, workers. */

import { type Answer, type OptionTypes, type Refusal, refuseOptions } from '@latchkey/protocol'
import { type HeaderList, headerPairs } from '@latchkey/service/http/headers'
import { CannotStart } from '@latchkey/service/machine/errors'
import type { Gate } from '../check/create-gate.ts'
import { type RawRequest, withRawHeaders } from '../request/read-request.ts'
import {
  type AdmittedRequest,
  type AuthenticatorOptions,
  answerFor,
  authenticatorTypes,
  publicAuthenticator,
  watchRequest,
} from './authenticate.ts'
import { type ProblemOptions, problemAnswer } from './problem.ts'

export interface FetchGuardOptions<Rest extends readonly unknown[] = []>
  extends AuthenticatorOptions {
  /**
   * Where forged tokens are counted: the address of the client, as the runtime or a trusted proxy
   * tells it.
   *
   * @default no address: all share one count
   */
  readonly addressOf?: (request: Request) => string | undefined
  /** Handles requests for the `publicRoutes` of the gate; required if it has any. */
  readonly publicHandler?: PublicHandler<Rest>
}

const types: OptionTypes<FetchGuardOptions> = {
  ...authenticatorTypes,
  addressOf: 'function',
  publicHandler: 'function',
}

/** A handler that is called for admitted requests only; `rest` is what the runtime passes beside the request. */
type GuardedHandler<Rest extends readonly unknown[]> = (
  request: Request,
  admitted: AdmittedRequest,
  ...rest: Rest
) => Response | Promise<Response>

/** A handler of requests that have no grant. */
type PublicHandler<Rest extends readonly unknown[]> = (
  request: Request,
  ...rest: Rest
) => Response | Promise<Response>

/**
 * A request whose token is revoked while it runs is cut: before the handler has responded the client gets the refusal,
 * and afterwards the body of the response fails. The body of the request fails for the handler in both cases, also when
 * the handler reads on after its response. Cancel a body that you have begun to read and do not need: its watch ends then.
 *
 * @example
 * ```ts
 * export const handler = guardFetch(gate, (request, { grant, path }) =>
 *   new Response(`${grant.subject} may ${grant.scope} ${path}`),
 * )
 * ```
 */
export function guardFetch<Rest extends readonly unknown[] = []>(
  gate: Gate,
  handler: GuardedHandler<Rest>,
  options: FetchGuardOptions<Rest> = {},
): (request: Request, ...rest: Rest) => Promise<Response> {
  refuseOptions('guardFetch', options, types, CannotStart)
  const { addressOf, publicHandler, ...others } = options
  if (gate.publicRoutes.length > 0 && publicHandler === undefined) throw noPublicHandler()
  const receive = publicAuthenticator(gate, others)
  return async function guarded(request, ...rest) {
    const gateRequest = gateRequestOf(request, addressOf?.(request))
    const received = await receive(gateRequest)
    if (!received.ok) return responseOf(received.answer)
    const { requestId, headers } = received
    if (received.admitted === undefined) {
      if (publicHandler === undefined) throw noPublicHandler()
      const response = await publicHandler(request, ...rest)
      return headers.length === 0
        ? response
        : withHeaders(new Response(response.body, response), headers)
    }
    const cut = Promise.withResolvers<Response>()
    const answerCut = (refusal: Refusal) => {
      const answer = answerFor(refusal, gateRequest, requestId)
      cut.resolve(responseOf({ ...answer, headers: [...answer.headers, ...headers] }))
    }
    const { admitted, end } = watchRequest(gate, received.admitted, answerCut)
    try {
      const upload = withBody(request, admitted.signal)
      const handled = handle(handler, upload.request, admitted, rest)
      const response = await Promise.race([handled, cut.promise])
      if (admitted.signal.aborted) {
        handled.then(discard, () => {})
        return await cut.promise
      }
      const endAfterUpload = () => (upload.isRead() ? void upload.over.then(end) : end())
      const guarding = { request, headers, signal: admitted.signal, end: endAfterUpload }
      return guardedResponse(response, guarding)
    } catch (error) {
      end()
      throw error
    }
  }
}

function noPublicHandler(): CannotStart {
  return new CannotStart(
    'guardFetch: the gate has publicRoutes, so their requests need a handler without grants; give publicHandler',
  )
}

/** A handler that throws at once fails as one that throws later. */
async function handle<Rest extends readonly unknown[]>(
  handler: GuardedHandler<Rest>,
  request: Request,
  admitted: AdmittedRequest,
  rest: Rest,
): Promise<Response> {
  return handler(request, admitted, ...rest)
}

interface Upload {
  readonly request: Request
  /** Whether the handler has begun to read the body. The end of a body that is never read may never come. */
  isRead(): boolean
  readonly over: Promise<void>
}

/** A request without a body is handed on as it is. */
function withBody(request: Request, signal: AbortSignal): Upload {
  if (request.body === null) return { request, isRead: () => false, over: Promise.resolve() }
  const { stream, over } = cuttable(request.body, signal)
  // Node wants `duplex` for every body that is a stream.
  const handed = withStream(request, { body: stream, duplex: 'half' })
  return { request: handed, isRead: () => handed.bodyUsed || handed.body?.locked === true, over }
}

function withStream(
  request: Request,
  init: { readonly body: ReadableStream<Uint8Array>; readonly duplex: 'half' },
): Request {
  try {
    return new Request(request, init)
  } catch {
    // Next hands out a proxy of its request, which the constructor of Node 24 does not take.
    const { url, method, headers, signal } = request
    return new Request(url, { method, headers: [...headers], signal, ...init })
  }
}

interface Guarding {
  readonly request: Request
  readonly headers: HeaderList
  readonly signal: AbortSignal
  readonly end: () => void
}

function guardedResponse(
  response: Response,
  { request, headers, signal, end }: Guarding,
): Response {
  const { body } = response
  // Servers send no body in response to HEAD, and then not all of them read or cancel it.
  if (body === null || request.method === 'HEAD') {
    end()
    return headers.length === 0 ? response : withHeaders(new Response(body, response), headers)
  }
  const { stream, over } = cuttable(body, signal, lengthOf(response))
  over.then(end)
  return withHeaders(new Response(stream, response), headers)
}

/** Undefined where it says nothing about the bytes of the stream. */
function lengthOf({ headers }: Response): number | undefined {
  const length = headers.get('content-length')
  return length === null || headers.has('content-encoding') ? undefined : Number(length)
}

/** Frees what a handler has opened for a response that came too late. */
function discard({ body }: Response): void {
  body?.cancel().catch(() => {})
}

/** The URL of a Request has been normalised already; the router sees the same one. */
export function gateRequestOf(request: Request, address?: string): RawRequest {
  const { pathname, search } = new URL(request.url)
  return withRawHeaders({
    method: request.method,
    target: pathname + search,
    headers: request.headers,
    address,
  })
}

/** To a copy: responses of `fetch` cannot be changed. */
function withHeaders(copy: Response, headers: HeaderList): Response {
  for (const [name, value] of headerPairs(headers)) copy.headers.append(name, value)
  return copy
}

/** Passes a body on until a signal is aborted; then its reader fails, so that nobody takes the part for the whole. */
interface Cuttable {
  readonly stream: ReadableStream<Uint8Array>
  /** Resolves when nothing more passes, for whatever reason. */
  readonly over: Promise<void>
}

/** The source is cancelled when the signal is aborted, and when the reader of the stream leaves. */
function cuttable(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  length?: number,
): Cuttable {
  const { readable, writable } = passage(length)
  const over = body.pipeTo(writable, { signal }).catch(() => {})
  return { stream: readable, over }
}

type Passage = TransformStream<Uint8Array, Uint8Array>

interface WorkerStreams {
  readonly IdentityTransformStream?: new () => Passage
  readonly FixedLengthStream?: new (length: number) => Passage
}

/** workerd sends Content-Length only for a stream that knows its length, and moves bytes faster through its own kinds. */
function passage(length: number | undefined): Passage {
  const { FixedLengthStream, IdentityTransformStream } = globalThis as WorkerStreams
  if (FixedLengthStream !== undefined && length !== undefined) return new FixedLengthStream(length)
  return IdentityTransformStream === undefined
    ? new TransformStream()
    : new IdentityTransformStream()
}

/**
 * An error response of your storage in the form of the gate's own.
 *
 * @example
 * ```ts
 * return problem({ code: 'entry_not_found', detail: 'There is no such file. List the files for their names.' })
 * ```
 */
export function problem(options: ProblemOptions): Response {
  return responseOf(problemAnswer(options))
}

export function responseOf({ status, headers, body }: Answer): Response {
  return new Response(body === '' ? null : body, { status, headers: headerPairs(headers) })
}
