/** Load on one server: a fixed number of connections, one request at a time on each, for a fixed time. */

import { connect } from 'node:net'
import { answerReader } from './answer-reader.ts'

export interface Load {
  readonly port: number
  readonly host?: string
  /** The next request, as it goes over the wire. */
  readonly request: () => string
}

export interface LoadResult {
  readonly requests: number
  /** Answers other than 2xx. */
  readonly failed: number
}

export async function load(
  target: Load,
  connections: number,
  milliseconds: number,
): Promise<LoadResult> {
  const until = performance.now() + milliseconds
  const results = await Promise.all(
    Array.from({ length: connections }, () => driveConnection(target, until)),
  )
  return {
    requests: results.reduce((sum, { requests }) => sum + requests, 0),
    failed: results.reduce((sum, { failed }) => sum + failed, 0),
  }
}

function driveConnection(
  { port, host = '127.0.0.1', request }: Load,
  until: number,
): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host, noDelay: true })
    let requests = 0
    let failed = 0
    const answered = answerReader((status) => {
      requests += 1
      if (status < 200 || status > 299) failed += 1
      if (performance.now() < until) return socket.write(request())
      socket.end()
      return resolve({ requests, failed })
    })
    socket.on('connect', () => socket.write(request()))
    socket.on('error', reject)
    socket.on('close', () => reject(new Error(`port ${port} closed a connection`)))
    socket.on('data', answered)
  })
}

/** A GET with all its headers, each `Name: value`. */
export function getRequest(path: string, headers: readonly string[]): string {
  return `GET ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`
}
