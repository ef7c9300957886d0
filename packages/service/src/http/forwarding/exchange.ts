/** One admitted request on its way to the upstream, and the answer on its way back. */

import type { Refusal } from '@latchkey/protocol'
import type { Dispatcher } from 'undici'
import { type Deadlines, type Lateness, tooLateRefusal, type WatchedRequest } from '../deadlines.ts'
import { freePart } from '../free-part.ts'
import { endAfterRequest, resetConnection, whenOver } from '../response-end.ts'
import type { Ending, Handover, Upstream } from './handover.ts'
import { rawHeadersOf } from './passed-headers.ts'
import { type Upload, uploadOf, upstreamFailed, upstreamTooLate } from './upload.ts'

/** Milliseconds that a body may take to follow its headers. */
const latenessMs = 10

/**
 * Bytes that may wait for a slow client. One read of a socket has 64 KiB, and the kernel usually
 * takes all of it: a lower limit would stop and restart the upstream after every read.
 */
export const maxWaitingBytes = 128 * 1024

const safe: readonly unknown[] = ['GET', 'HEAD', 'OPTIONS']
const staleConnection: readonly unknown[] = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']

/** With bodies of 64 KiB, `http.request` and `pipe` reached a third of a plain nginx proxy, and undici more than half. */
class ForwardedExchange implements Dispatcher.DispatchHandler, WatchedRequest {
  readonly #handover: Handover
  readonly #upstream: Upstream
  readonly #upload: Upload
  #control: Dispatcher.DispatchController | undefined
  #ending: Ending | undefined
  #late: NodeJS.Timeout | undefined
  #hasBodyBegun = false
  #isAskedAgain = false

  constructor(handover: Handover, upstream: Upstream) {
    this.#handover = handover
    this.#upstream = upstream
    this.#upload = uploadOf(handover.request, {
      refuseTrailer: upstream.refusals.trailer,
      onRefused: (refusal) => this.#giveUp(refusal, 'us'),
    })
    handover.response.on('drain', () => this.#control?.resume())
  }

  send(): void {
    const { request, target, headers } = this.#handover
    const { dispatcher, headersSeconds, isTrusted = false } = this.#upstream
    const options: Dispatcher.DispatchOptions = {
      path: target,
      method: request.method as Dispatcher.HttpMethod,
      headers,
      body: this.#upload.body,
      headersTimeout: headersSeconds * 1000,
      // A slow client pauses the upstream, which is not the upstream's fault; deadlines watch both.
      bodyTimeout: 0,
      ...(isTrusted && { reset: false }),
    }
    dispatcher.dispatch(options, this)
  }

  /** Called when nothing more goes to the client: either all has gone, or the client has. */
  end(): Ending {
    const { response } = this.#handover
    clearTimeout(this.#late)
    if (this.#ending === undefined && !response.writableFinished) {
      this.#ending = { status: undefined, cut: 'client' }
      this.#stop()
    }
    return this.#ending ?? { status: response.statusCode }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#control = controller
    if (this.#ending !== undefined) this.#stop()
  }

  onResponseStart({ rawHeaders }: Dispatcher.DispatchController, status: number): void {
    if (status < 200) return
    const { response } = this.#handover
    response.writeHead(status, this.#handover.answerHeaders(rawHeadersOf(rawHeaders)))
    // What was read along with them is handed over before a microtask runs, and most bodies begin there.
    queueMicrotask(() => this.#expectBody())
  }

  /** A body that comes along takes the headers with it; one that is late must not hold them back. */
  #expectBody(): void {
    const { response } = this.#handover
    if (this.#hasBodyBegun || response.writableEnded || response.destroyed) return
    this.#late = setTimeout(() => response.flushHeaders(), latenessMs)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#hasBodyBegun) {
      this.#hasBodyBegun = true
      clearTimeout(this.#late)
    }
    const { response } = this.#handover
    const sent = (error?: Error | null) => {
      if (!error) freePart(chunk)
    }
    // A write that was told to wait is followed by a drain.
    const mayGoOn = response.write(chunk, sent)
    if (!mayGoOn && response.writableLength >= maxWaitingBytes) controller.pause()
  }

  onResponseEnd(): void {
    endAfterRequest(this.#handover.request, this.#handover.response)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#mayAskAgain(error)) {
      this.#isAskedAgain = true
      this.send()
    } else {
      this.#giveUp(upstreamFailed(error, this.#upstream.refusals), 'upstream')
    }
  }

  /** Bytes that came from the client, and bytes that really left for it. */
  moved(): number {
    const { socket } = this.#handover.request
    return socket.bytesRead + socket.bytesWritten - socket.writableLength
  }

  moving(): 'upload' | 'download' | undefined {
    const { request, response } = this.#handover
    if (!request.complete) return 'upload'
    return response.headersSent ? 'download' : undefined
  }

  isHeld(): boolean {
    return this.#upload.isHeld()
  }

  cut(lateness: Lateness): void {
    const isClientsTurn = !this.#handover.request.complete && !this.isHeld()
    const { refusals } = this.#upstream
    this.#giveUp(
      isClientsTurn ? tooLateRefusal(lateness) : upstreamTooLate(lateness, refusals),
      'us',
    )
  }

  /** The admission of the request is not valid any more. */
  revoke(refusal: Refusal): void {
    this.#giveUp(refusal, 'us')
  }

  /** Before the answer began it becomes a refusal; afterwards nobody may take the part for the whole. */
  #giveUp(refusal: Refusal, whose: 'upstream' | 'us'): void {
    if (this.#ending !== undefined) return
    const { request, response, refuse } = this.#handover
    if (response.headersSent) {
      this.#ending = { status: response.statusCode, refusal, cut: whose }
      this.#stop()
      resetConnection(request.socket)
    } else {
      this.#ending = { status: undefined, refusal }
      this.#stop()
      refuse(refusal)
    }
  }

  #stop(): void {
    this.#upload.body?.destroy()
    this.#control?.abort(new Error('given up'))
  }

  /** A kept connection may be closed by the upstream just as it is used again; asking twice changes nothing there. */
  #mayAskAgain(error: Error): boolean {
    const { request, response } = this.#handover
    const isStale = 'code' in error && staleConnection.includes(error.code)
    const isUnheard = !response.headersSent && this.#upload.body === null
    const mayRepeat = !this.#isAskedAgain && this.#ending === undefined
    return isStale && isUnheard && mayRepeat && safe.includes(request.method)
  }
}

export type Forward = (handover: Handover) => Promise<Ending>

export function forwarder(upstream: Upstream, deadlines: Deadlines): Forward {
  return (handover) =>
    new Promise((done) => {
      const exchange = new ForwardedExchange(handover, upstream)
      const unwatch = deadlines.watch(exchange)
      const unwatchToken = handover.watch?.((refusal) => exchange.revoke(refusal))
      whenOver(handover.response, () => {
        unwatch()
        unwatchToken?.()
        done(exchange.end())
      })
      exchange.send()
    })
}
