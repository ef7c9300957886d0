/** Load on one server: a fixed number of connections, one request at a time on each, for a fixed time. */

import { connect } from 'node:net'

/** What a server under load is asked for. */
export interface Target {
  readonly port: number
  readonly paths: readonly string[]
  readonly authorization: string
}

export interface Load extends Omit<Target, 'paths'> {
  readonly nextPath: () => string
}

/** Every path once, in the order given, and then again from the start. */
export function inTurn(paths: readonly string[]): () => string {
  let asked = 0
  return () => {
    asked += 1
    return paths[asked % paths.length] ?? '/'
  }
}

export interface LoadResult {
  readonly requests: number
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
  { port, nextPath, authorization }: Load,
  until: number,
): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let requests = 0
    let failed = 0
    let received = ''
    const ask = () => {
      const path = nextPath()
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\n\r\n`,
      )
    }
    socket.on('connect', ask)
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      const head = received.indexOf('\r\n\r\n')
      if (head === -1) return
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1])
      if (received.length < head + 4 + length) return
      requests += 1
      if (!received.startsWith('HTTP/1.1 200')) failed += 1
      received = ''
      if (performance.now() < until) return ask()
      socket.end()
      return resolve({ requests, failed })
    })
  })
}
