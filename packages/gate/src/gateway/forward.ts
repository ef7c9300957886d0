/** Hands an admitted request on to the storage and its answer back, both as streams. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Refusal } from '@latchkey/protocol'
import type { Dispatcher } from 'undici'
import { clientHeaders, rawHeadersOf } from './client-headers.ts'
import type { Deadlines } from './deadlines.ts'
import { endAfterRequest } from './end-after-request.ts'
import { type Upload, uploadOf } from './upload.ts'
import { badTrailer, tooLate, upstreamFailed } from './upstream-refusals.ts'

export interface Handover {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Path and query as the storage gets them. */
  readonly target: string
  /** For the storage, names and values in turn. */
  readonly headers: string[]
  /** For the client, beside the storage's own. */
  readonly answerHeaders: readonly string[]
  /** Answers the client with a refusal. */
  refuse(refusal: Refusal): void
}

/** How an exchange ended; `cut` when the client got no whole answer. */
export interface Ending {
  readonly status: number | undefined
  readonly refusal?: Refusal
  readonly cut?: 'client' | 'storage' | 'gate'
  /** Answered without being judged. */
  readonly isPreflight?: true
}

export type Forward = (handover: Handover) => Promise<Ending>

export interface Forwarding {
  readonly storage: Dispatcher
  readonly headersSeconds: number
  readonly deadlines: Deadlines
}

export function forwarder({ storage, headersSeconds, deadlines }: Forwarding): Forward {
  return (handover) =>
    new Promise((resolve) => {
      const { request, response, target, headers, answerHeaders, refuse } = handover
      let control: Dispatcher.DispatchController | undefined
      let given: Ending | undefined
      let isRetried = false
      let late: NodeJS.Timeout | undefined

      /** Before the answer began it becomes a refusal; afterwards nobody may take the part for the whole. */
      const giveUp = (refusal: Refusal, whose: 'storage' | 'gate') => {
        if (given !== undefined) return
        const isCut = response.headersSent
        given = {
          status: isCut ? response.statusCode : undefined,
          refusal,
          ...(isCut ? { cut: whose } : {}),
        }
        stop()
        if (isCut) reset(request.socket)
        else refuse(refusal)
      }
      const upload = uploadOf(request, () => giveUp(badTrailer, 'gate'))
      const stop = () => {
        upload.body?.destroy()
        control?.abort(new Error('given up'))
      }
      const unwatch = deadlines.watch({
        moved: bytesOn(request),
        moving: () =>
          !request.complete ? 'upload' : response.headersSent ? 'download' : undefined,
        isHeld: upload.isHeld,
        cut: (lateness) => giveUp(tooLate(lateness, !request.complete && !upload.isHeld()), 'gate'),
      })
      response.on('drain', () => control?.resume())
      response.once('close', () => {
        unwatch()
        clearTimeout(late)
        if (given === undefined && !response.writableFinished) {
          given = { status: undefined, cut: 'client' }
          stop()
        }
        resolve(given ?? { status: response.statusCode })
      })

      const send = () =>
        storage.dispatch(
          {
            path: target,
            method: request.method as Dispatcher.HttpMethod,
            headers,
            body: upload.body,
            headersTimeout: headersSeconds * 1000,
            // A slow client pauses the storage, which is not the storage's fault; `deadlines` watch both.
            bodyTimeout: 0,
          },
          {
            onRequestStart(controller) {
              control = controller
              if (given !== undefined) controller.abort(new Error('given up'))
            },
            onResponseStart({ rawHeaders }, status) {
              if (status < 200) return
              response.writeHead(status, clientHeaders(rawHeadersOf(rawHeaders), answerHeaders))
              // A body that comes along takes them with it; one that is late must not hold them back.
              late = setTimeout(() => response.flushHeaders(), latenessMs)
            },
            onResponseData(controller, chunk) {
              clearTimeout(late)
              if (!response.write(chunk)) controller.pause()
            },
            onResponseEnd: () => endAfterRequest(request, response),
            onResponseError(_controller, error) {
              if (
                !isRetried &&
                given === undefined &&
                mayAskAgain(error, request, upload, response)
              ) {
                isRetried = true
                send()
              } else giveUp(upstreamFailed(error), 'storage')
            },
          },
        )
      send()
    })
}

/** What a body may take to follow its headers. */
const latenessMs = 10

const safe: readonly unknown[] = ['GET', 'HEAD', 'OPTIONS']
const staleConnection: readonly unknown[] = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']

/** A kept connection may be closed by the storage just as it is used again; asking twice changes nothing there. */
function mayAskAgain(
  error: Error,
  { method }: IncomingMessage,
  { body }: Upload,
  { headersSent }: ServerResponse,
): boolean {
  const isStale = 'code' in error && staleConnection.includes(error.code)
  return isStale && !headersSent && body === null && safe.includes(method)
}

/** Node's own reset first ends the connection properly, which HTTP/1.0 takes for the end of the answer. */
function reset(socket: Socket): void {
  Object.assign(socket, { resetAndClosing: true })
  socket.destroy()
}

/** What came from the client and what has really left for it. */
function bytesOn({ socket }: IncomingMessage): () => number {
  return () => socket.bytesRead + socket.bytesWritten - socket.writableLength
}
