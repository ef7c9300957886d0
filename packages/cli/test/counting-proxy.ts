/** Stands between a client and its storage: counts the bytes of blobs, and can hold them back until a test has done something. */

import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface CountingProxy {
  readonly port: number
  /** Bytes of blobs that went to clients. */
  blobBytes(): number
  /** Requests whose client still waits, as far as the proxy has noticed: what it sends to others is counted, too. */
  underWay(): number
  /** What the storage has refused so far: the status, and the first part of the path behind repository and ref. */
  refused(): readonly string[]
  /** Where requests go from now on; those under way are cut. */
  forwardTo(port: number): void
  /** Holds everything back once so many more bytes of blobs went through; settles at that moment. */
  holdAfter(bytes: number): Promise<void>
  /** Answers the next request for a blob as if its URL were over. */
  refuseOne(): void
  /** Answers the next requests, one if no number is given, with 503 and this Retry-After. */
  makeUnavailable(retryAfterSeconds: number, requests?: number): void
  /** Lets everything go on, and forgets what hung. */
  goOn(): void
  close(): void
}

export async function countingProxy(): Promise<CountingProxy> {
  const state = {
    ...{ to: 0, bytes: 0, underWay: 0, hold: Number.POSITIVE_INFINITY, refusals: 0 },
    ...{ retryAfter: 0, unavailable: 0 },
  }
  const refused: string[] = []
  let held = Promise.withResolvers<void>()
  let release = Promise.withResolvers<void>()

  async function relay(answer: IncomingMessage, response: ServerResponse): Promise<void> {
    for await (const part of answer) {
      if (state.bytes >= state.hold) {
        held.resolve()
        await release.promise
      }
      if (response.destroyed) return
      state.bytes += part.length
      await new Promise((written) => response.write(part, written))
    }
    response.end()
  }
  const forward = (incoming: IncomingMessage, response: ServerResponse) => {
    const { url: path = '', method, headers } = incoming
    const isBlob = path.includes('/blobs/')
    state.underWay += 1
    response.on('close', () => {
      state.underWay -= 1
    })
    if (state.unavailable > 0) {
      state.unavailable -= 1
      refused.push(`503 ${path.split('/')[4]}`)
      response.writeHead(503, { 'content-length': 0, 'retry-after': `${state.retryAfter}` }).end()
      return
    }
    if (isBlob && state.refusals > 0) {
      state.refusals -= 1
      response.writeHead(403, { 'content-length': 0 }).end()
      return
    }
    const outgoing = request({ port: state.to, path, method, headers }, (answer) => {
      const { statusCode: status = 502 } = answer
      const isRefused = status >= 400
      if (isRefused) refused.push(`${status} ${path.split('/')[4]}`)
      response.writeHead(status, answer.headers)
      if (isBlob && !isRefused) relay(answer, response).catch(() => response.destroy())
      else answer.pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    response.on('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  }
  const server = createServer(forward)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  return {
    port: (server.address() as AddressInfo).port,
    blobBytes: () => state.bytes,
    underWay: () => state.underWay,
    refused: () => refused,
    forwardTo(port) {
      state.to = port
      server.closeAllConnections()
    },
    holdAfter(bytes) {
      state.hold = state.bytes + bytes
      held = Promise.withResolvers()
      release = Promise.withResolvers()
      return held.promise
    },
    makeUnavailable(retryAfterSeconds, requests = 1) {
      Object.assign(state, { retryAfter: retryAfterSeconds, unavailable: requests })
    },
    refuseOne() {
      state.refusals += 1
    },
    goOn() {
      state.hold = Number.POSITIVE_INFINITY
      release.resolve()
    },
    close: () => server.close().closeAllConnections(),
  }
}
