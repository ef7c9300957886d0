/** A server of blobs that answers as a test says, byte for byte, and tells who connected. */

import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createSecure } from 'node:tls'
import { onTestFinished } from 'vitest'
import { blobReader } from '../../src/blob/blob-reader.ts'
import type { BlobReader } from '../../src/download/download-calls.ts'

export interface BlobServer {
  readonly origin: string
  /** The heads of the requests, in the order in which they came. */
  readonly heads: string[]
  connections(): number
}

/** Writes an answer; the connection stays open unless it ends it. */
export type Answer = (socket: Socket, head: string, count: number) => void

export interface Certificate {
  readonly key: string
  readonly cert: string
}

export async function blobServer(answer: Answer, secure?: Certificate): Promise<BlobServer> {
  const heads: string[] = []
  const sockets = new Set<Socket>()
  const serve = (socket: Socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.on('data', (bytes) => {
      heads.push(bytes.toString('latin1'))
      answer(socket, heads.at(-1) ?? '', heads.length)
    })
  }
  const server: Server = secure === undefined ? createServer(serve) : createSecure(secure, serve)
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  const { port } = server.address() as AddressInfo
  const scheme = secure === undefined ? 'http' : 'https'
  return { origin: `${scheme}://127.0.0.1:${port}`, heads, connections: () => sockets.size }
}

export function plainAnswer(body: string, more = ''): string {
  return `HTTP/1.1 206 Partial Content\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`
}

export function reader(): BlobReader {
  const made = blobReader()
  onTestFinished(() => made.close())
  return made
}

/** Five bytes from there. */
export async function readFive({ read }: BlobReader, origin: string, storageUrl = origin) {
  const into = Buffer.alloc(5)
  const request = { url: `${origin}/run?signed`, storageUrl, bytes: { start: 10, end: 14 } }
  return { ...(await read(request, into)), into: into.toString() }
}
