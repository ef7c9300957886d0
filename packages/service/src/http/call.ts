/** One request, as the handler of its route sees it, and how requests are served one by one. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type AnyId, isRefusal, type Refusal } from '@latchkey/protocol'
import { newId, type RandomBytes } from '../machine/random.ts'
import type { ClientAddress } from './addresses.ts'
import { brokenOffRefusal, internalError, stoppingRefusal, unavailableRefusal } from './refusals.ts'
import { untilOver, whenOver } from './response-end.ts'

/** Serves a request from its head on, and answers it. */
export type Serve = (request: IncomingMessage, response: ServerResponse) => void

export interface CallOptions {
  /** The name of the service in refusals: `hub`. */
  readonly name: string
  readonly randomBytes: RandomBytes
  readonly logFailure: (error: unknown, requestId: string) => void
  /** Aborted when the server stops. */
  readonly stopping?: AbortSignal
  /** The id that a trusted proxy gave the request; undefined gives it a new one. */
  readonly requestIdOf?: (request: IncomingMessage) => AnyId | undefined
}

export class Call {
  readonly request: IncomingMessage
  readonly requestId: AnyId
  readonly #response: ServerResponse
  readonly #options: CallOptions
  #signal: AbortSignal | undefined

  constructor(response: ServerResponse, options: CallOptions) {
    this.request = response.req
    this.requestId = options.requestIdOf?.(response.req) ?? newId(options.randomBytes)
    this.#response = response
    this.#options = options
  }

  /** For a handler that waits. Aborted when the client has disconnected, and when the server stops. */
  get signal(): AbortSignal {
    this.#signal ??= this.#makeSignal()
    return this.#signal
  }

  /** The result of the work. If it throws, the log gets the error and the client a refusal. */
  async attempt<Result>(work: () => Result | Promise<Result>): Promise<Result | Refusal> {
    const { name, logFailure } = this.#options
    try {
      return await work()
    } catch (error) {
      // Work that ends because the signal was aborted has not failed.
      if (this.#signal?.aborted && isAbortError(error)) return stoppingRefusal(name)
      // The client has gone before its body was whole.
      if (error === this.request.errored) return brokenOffRefusal()
      // The store tells the log once when its database goes, and not for every request.
      const refusal = unavailableRefusal(error, name)
      if (refusal !== undefined) return refusal
      logFailure(error, this.requestId)
      return internalError(name)
    }
  }

  #makeSignal(): AbortSignal {
    const over = new AbortController()
    const { stopping } = this.#options
    const underWay = stopping && callsUntil(stopping)
    if (stopping?.aborted) over.abort(stopping.reason)
    else underWay?.add(over)
    whenOver(this.#response, () => {
      underWay?.delete(over)
      over.abort(disconnected)
    })
    return over.signal
  }
}

/** Made once: a reason for each call would hold a stack of its own. */
const disconnected = new DOMException('The client has disconnected.', 'AbortError')

const callsOf = new WeakMap<AbortSignal, Set<AbortController>>()

/** The calls that a server has under way. One listener for all of them: a signal for each that follows two others takes longer than a short call. */
function callsUntil(stopping: AbortSignal): Set<AbortController> {
  const existing = callsOf.get(stopping)
  if (existing !== undefined) return existing
  const underWay = new Set<AbortController>()
  callsOf.set(stopping, underWay)
  const abortAll = () => {
    for (const over of underWay) over.abort(stopping.reason)
  }
  stopping.addEventListener('abort', abortAll, { once: true })
  return underWay
}

function isAbortError(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

export interface IdentifiedCall<Caller, Logged> {
  readonly result: Caller | Refusal
  readonly caller?: Logged | undefined
  /** Known to the log, and refused. */
  readonly refusedCaller?: Logged | undefined
}

/** Stands last in the line of every call. */
export interface CallEnd {
  readonly address: string
  readonly requestId: AnyId
  readonly milliseconds: number
}

export interface ServeLoggedDeps<Caller, Logged, Result> {
  readonly clientAddress: ClientAddress
  identify(request: IncomingMessage): Promise<IdentifiedCall<Caller, Logged>>
  work(caller: Caller): Promise<Result | Refusal>
  log(result: Result | Refusal, caller: Logged | undefined, end: CallEnd): void
}

/** Identifies the caller of a request, does its work, and writes one line about it. */
export async function serveLogged<Caller, Logged, Result>(
  call: Call,
  { clientAddress, identify, work, log }: ServeLoggedDeps<Caller, Logged, Result>,
): Promise<Result | Refusal> {
  const { request, requestId } = call
  const startedAt = performance.now()
  const address = clientAddress(request)
  const identified = await call.attempt(() => identify(request))
  const {
    result: found,
    caller,
    refusedCaller = caller,
  } = isRefusal(identified) ? { result: identified } : identified
  const result = isRefusal(found) ? found : await call.attempt(() => work(found))
  const milliseconds = Math.round((performance.now() - startedAt) * 1000) / 1000
  log(result, refusedCaller, { address, requestId, milliseconds })
  return result
}

/** `waitsForContinue`: the client sends its body once it is told to. */
export type ServeRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  waitsForContinue: boolean,
) => Promise<void>

type Asked = Parameters<ServeRequest>

interface Before {
  readonly served: Promise<void>
  readonly response: ServerResponse
}

export interface InOrder {
  readonly serve: Serve
  readonly serveContinue: Serve
  /** Settles once every request has been served. */
  settled(): Promise<unknown>
}

/**
 * Serves the requests of a connection one after the other: a request waits until the answer before it is out. So pipelined requests take effect in their order (RFC 9112 §9.3.2),
 * and answers that the client does not read do not pile up.
 */
export function serveInOrder(serve: ServeRequest, onFailure: (error: unknown) => void): InOrder {
  const underWay = new Set<Promise<void>>()
  const last = new WeakMap<Socket, Before>()
  const serveAfter = async (before: Before | undefined, ...exchange: Asked): Promise<void> => {
    try {
      if (before !== undefined) {
        await before.served
        // Few clients ask before they have their answer: for the others, nothing listens for its end.
        await untilOver(before.response)
      }
      await serve(...exchange)
    } catch (error) {
      // A bug of ours costs one connection, not the process.
      onFailure(error)
      exchange[1].destroy()
    }
  }
  const serveWith =
    (waitsForContinue: boolean): Serve =>
    (request, response) => {
      const { socket } = request
      const served = serveAfter(last.get(socket), request, response, waitsForContinue)
      underWay.add(served)
      served.then(() => underWay.delete(served))
      last.set(socket, { served, response })
    }
  return {
    serve: serveWith(false),
    serveContinue: serveWith(true),
    settled: () => Promise.all(underWay),
  }
}
