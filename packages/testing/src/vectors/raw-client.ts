/** An HTTP client that sends request lines and headers exactly as it is told to. */

import { connect, type Socket } from 'node:net'
import type { Outcome } from './judge.ts'
import type { Seen, Sent } from './read-vectors.ts'

export interface RawClient {
  send(request: Sent): Promise<Outcome>
  close(): void
}

interface Reply {
  readonly outcome: Outcome
  readonly isLast: boolean
}

/** Connections are used again for as long as the server keeps them. */
export function rawClient(url: string): RawClient {
  const idle: Socket[] = []
  const { hostname, port } = new URL(url)
  const open = () => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    // Whatever waits for a reply hears of it by `close`.
    socket.on('error', () => {})
    return socket
  }
  return {
    async send(request) {
      const socket = idle.pop() ?? open()
      const { outcome, isLast } = await exchange(socket, request)
      if (isLast || socket.destroyed) socket.destroy()
      else idle.push(socket)
      return outcome
    },
    close() {
      for (const socket of idle) socket.destroy()
    },
  }
}

function exchange(socket: Socket, request: Sent): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let received = ''
    const settle = (reply: Reply) => {
      socket.off('data', take).off('close', closed)
      resolve(reply)
    }
    const take = (chunk: Buffer) => {
      received += chunk.toString('latin1')
      const reply = readReply(received, request.method === 'HEAD')
      if (reply !== undefined) settle(reply)
    }
    const closed = () => {
      const reply = readReply(received, true)
      if (reply === undefined) reject(new Error(`no answer to ${textOf(request).slice(0, 200)}`))
      else settle({ ...reply, isLast: true })
    }
    socket.on('data', take).on('close', closed)
    socket.write(textOf(request), 'utf8')
  })
}

function textOf({ method, target, headers, body = '' }: Sent): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${target} HTTP/1.1\r\nHost: cas.example\r\n${lines.join('')}\r\n${body}`
}

/** Undefined until the reply is there as a whole. */
function readReply(received: string, isBodyless: boolean): Reply | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const [statusLine = '', ...lines] = received.slice(0, end).split('\r\n')
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    headers.set(name, headers.has(name) ? `${headers.get(name)}, ${value}` : value)
  }
  const body = received.slice(end + 4)
  const status = Number(statusLine.split(' ')[1])
  const isWhole = isBodyless || status === 204 || isWholeBody(body, headers)
  if (!isWhole) return undefined
  const outcome = {
    status,
    header: (name: string) => headers.get(name),
    body,
    everything: received,
    seen: seenIn(headers.get('seen')),
  }
  return { outcome, isLast: headers.get('connection') === 'close' }
}

function isWholeBody(body: string, headers: ReadonlyMap<string, string>): boolean {
  const length = headers.get('content-length')
  if (length !== undefined) return body.length >= Number(length)
  return headers.get('transfer-encoding') === 'chunked' && /(?:^|\r\n)0\r\n\r\n$/.test(body)
}

/** Handlers of these tests tell in this header what they heard. */
export function seenIn(header: string | null | undefined): Outcome['seen'] {
  return header === undefined || header === null
    ? undefined
    : (JSON.parse(header) as Seen & { gets: string })
}
