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

/** Connections that stay open between the rounds, so that a round shows what requests cost, and not connections. */
export interface OpenLoad {
  run(milliseconds: number): Promise<LoadResult>
  close(): void
}

export async function load(
  target: Load,
  connections: number,
  milliseconds: number,
): Promise<LoadResult> {
  const until = performance.now() + milliseconds
  const drive = async () => {
    const { driveUntil, close } = await openConnection(target)
    const result = await driveUntil(until)
    close()
    return result
  }
  return sumOf(await Promise.all(Array.from({ length: connections }, drive)))
}

export async function openLoad(target: Load, connections: number): Promise<OpenLoad> {
  const all = await Promise.all(Array.from({ length: connections }, () => openConnection(target)))
  // A hub closes a connection whose first request is long in coming.
  await Promise.all(all.map(({ driveUntil }) => driveUntil(0)))
  return {
    async run(milliseconds) {
      const until = performance.now() + milliseconds
      return sumOf(await Promise.all(all.map(({ driveUntil }) => driveUntil(until))))
    },
    close() {
      for (const { close } of all) close()
    },
  }
}

export function sumOf(results: readonly LoadResult[]): LoadResult {
  return {
    requests: results.reduce((sum, { requests }) => sum + requests, 0),
    failed: results.reduce((sum, { failed }) => sum + failed, 0),
  }
}

interface Connection {
  driveUntil(until: number): Promise<LoadResult>
  close(): void
}

function openConnection({ port, host = '127.0.0.1', request }: Load): Promise<Connection> {
  const socket = connect({ port, host, noDelay: true })
  const opened = Promise.withResolvers<Connection>()
  let driven: PromiseWithResolvers<LoadResult> | undefined
  let requests = 0
  let failed = 0
  let until = 0
  const closed = () => new Error(`port ${port} closed a connection`)
  const fail = (error: Error) => {
    opened.reject(error)
    driven?.reject(error)
  }
  const driveUntil = (end: number) => {
    driven = Promise.withResolvers()
    requests = 0
    failed = 0
    until = end
    if (socket.writable) socket.write(request())
    else driven.reject(closed())
    return driven.promise
  }
  const answered = answerReader((status) => {
    requests += 1
    if (status < 200 || status > 299) failed += 1
    if (performance.now() < until) socket.write(request())
    else driven?.resolve({ requests, failed })
  })
  socket.on('connect', () => opened.resolve({ driveUntil, close: () => socket.end() }))
  socket.on('error', fail)
  socket.on('close', () => fail(closed()))
  socket.on('data', answered)
  return opened.promise
}

/** A GET with all its headers, each `Name: value`. */
export function getRequest(path: string, headers: readonly string[]): string {
  return `GET ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`
}
