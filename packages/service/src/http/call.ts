/** One request, as the handler of its route sees it. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AnyId, Refusal } from '@latchkey/protocol'
import { newId, type RandomBytes } from '../machine/random.ts'
import { away, brokenOff, failed, stopping } from './turned-away.ts'
import { whenOver } from './when-over.ts'

/** Serves a request from its head on, and answers it. */
export type Serve = (request: IncomingMessage, response: ServerResponse) => void

export interface CallOptions {
  /** The name of the service in refusals: `hub`. */
  readonly name: string
  readonly randomBytes: RandomBytes
  readonly logFailure: (error: unknown, requestId: string) => void
  /** Aborted when the server stops. */
  readonly stopping?: AbortSignal
}

export class Call {
  readonly request: IncomingMessage
  readonly requestId: AnyId
  readonly #response: ServerResponse
  readonly #options: CallOptions
  #signal: AbortSignal | undefined

  constructor(response: ServerResponse, options: CallOptions) {
    this.request = response.req
    this.requestId = newId(options.randomBytes)
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
      if (this.#signal?.aborted && isAbortError(error)) return stopping(name)
      // The client has gone before its body was whole.
      if (error === this.request.errored) return brokenOff()
      // The store tells the log once when its database goes, and not for every request.
      const refusal = away(error, name)
      if (refusal !== undefined) return refusal
      logFailure(error, this.requestId)
      return failed(name)
    }
  }

  #makeSignal(): AbortSignal {
    const over = new AbortController()
    whenOver(this.#response, () => over.abort())
    return AbortSignal.any([over.signal, this.#options.stopping ?? over.signal])
  }
}

function isAbortError(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}
