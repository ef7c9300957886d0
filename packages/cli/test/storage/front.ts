/** A load balancer as operators set one up: a request that was not answered, or that a server could not serve now, goes to the next one, with its whole body. Short answers are passed on when they are whole. */

import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'

export interface Front {
  readonly url: string
  /** Requests that were sent once more. */
  repeated(): number
  /** Responses that broke after their beginning: the client has to ask again. */
  broken(): number
  close(): void
}

const attempts = 100
const pauseMs = 100
/** A server that has just started is not ready. */
const maxUnserved = 20
const maxShort = 1024 * 1024

/** A connection that is closed while a client writes to it is an error for that client. */
const keepAliveTimeout = 75_000

/** Called when a server has been sent a whole request, and before it can have answered. */
export type OnSent = (port: number, path: string) => void

/** The servers may change at any time. */
export async function startFront(
  ports: readonly number[],
  onSent: OnSent = () => {},
): Promise<Front> {
  let [turn, repeated, broken] = [0, 0, 0]
  const handOn = async (incoming: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(incoming)
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      turn += 1
      const port = ports[turn % ports.length] ?? 0
      const answer = await answerOf({ port, onSent }, incoming, body)
      const isShort = Number(answer?.headers['content-length'] ?? maxShort) < maxShort
      const whole = answer && isShort ? await buffer(answer).catch(() => undefined) : undefined
      const isServed = answer?.statusCode !== 503 || attempt >= maxUnserved
      if (answer !== undefined && whole !== undefined && isServed) {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        response.end(whole)
        return
      }
      if (answer !== undefined && !isShort) {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.on('error', () => {
          broken += 1
          response.destroy()
        })
        answer.pipe(response)
        return
      }
      repeated += 1
      await delay(pauseMs)
    }
    response.destroy()
  }
  const server = createServer({ maxHeaderSize: 65_536, keepAliveTimeout }, (incoming, response) => {
    handOn(incoming, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    repeated: () => repeated,
    broken: () => broken,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Undefined where the server ended before its answer began, or is not there. */
function answerOf(
  { port, onSent }: { readonly port: number; readonly onSent: OnSent },
  { method, headers, url: path }: IncomingMessage,
  body: Buffer,
): Promise<IncomingMessage | undefined> {
  return new Promise((resolve) => {
    const { 'transfer-encoding': _, expect: __, ...rest } = headers
    const length = body.length > 0 ? { 'content-length': String(body.length) } : {}
    const onward = request({
      ...{ host: '127.0.0.1', port, method, path, agent: false },
      headers: { ...rest, ...length },
    })
    onward.on('response', resolve)
    onward.on('error', () => resolve(undefined))
    onward.on('finish', () => onSent(port, path ?? ''))
    onward.end(body)
  })
}
