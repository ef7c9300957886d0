/** A load balancer of a few lines: one address for several hubs, each in turn, and the next one where nothing listens. */

import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as the balancer saw it. */
export interface Passed {
  readonly path: string
  readonly arrivedAt: number
  /** Left out until its whole answer is sent, or it has failed. */
  endedAt?: number
  /** 0 if there was no whole answer. */
  status: number
}

export interface Balancer {
  readonly url: string
  readonly passed: readonly Passed[]
  close(): void
}

export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const passed: Passed[] = []
  let turn = 0
  const server = createServer((incoming, response) => {
    const seen: Passed = { path: incoming.url ?? '', arrivedAt: Date.now(), status: 0 }
    passed.push(seen)
    response.on('close', () => {
      seen.endedAt = Date.now()
      seen.status = response.writableFinished ? response.statusCode : 0
    })
    turn += 1
    handOn(incoming, response, [...ports.slice(turn % ports.length), ...ports])
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function handOn(
  incoming: IncomingMessage,
  response: ServerResponse,
  [port, ...others]: readonly number[],
): void {
  const { method, headers, url: path } = incoming
  const sent = request({ host: '127.0.0.1', port, method, path, headers, agent: false })
  response.on('close', () => sent.destroy())
  sent.on('error', (error: NodeJS.ErrnoException) => {
    // Nothing of the body is read before the connection is open, so another hub can have all of it.
    if (error.code === 'ECONNREFUSED' && others.length > 0) handOn(incoming, response, others)
    else response.destroy()
  })
  sent.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.on('error', () => response.destroy())
    answer.pipe(response)
  })
  sent.on('socket', (socket) => socket.once('connect', () => incoming.pipe(sent)))
}
