/** Serves the requests of a connection one after the other. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Serve } from './call.ts'
import { untilOver } from './when-over.ts'

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
 * A request waits until the answer before it is out. So pipelined requests take effect in their order (RFC 9112 §9.3.2),
 * and answers that the client does not read do not pile up.
 */
export function serveInOrder(serve: ServeRequest, onFailure: (error: unknown) => void): InOrder {
  const underWay = new Set<Promise<void>>()
  const last = new WeakMap<Socket, Before>()
  const serveAfter = async (before: Before | undefined, ...asked: Asked): Promise<void> => {
    try {
      if (before !== undefined) {
        await before.served
        // Few clients ask before they have their answer: for the others, nothing listens for its end.
        await untilOver(before.response)
      }
      await serve(...asked)
    } catch (error) {
      // A bug of ours costs one connection, not the process.
      onFailure(error)
      asked[1].destroy()
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
