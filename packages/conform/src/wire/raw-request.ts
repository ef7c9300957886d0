/** Sends a request exactly as it is written: `fetch` would normalize paths and merge headers. */

import { Agent, request as httpRequest } from 'node:http'
import { request as httpsRequest, Agent as TlsAgent } from 'node:https'

export type HeaderLine = readonly [name: string, value: string]

export interface RawRequest {
  readonly method: string
  /** As in the request line. */
  readonly target: string
  readonly headers: readonly HeaderLine[]
  readonly body?: string | Uint8Array | undefined
}

export interface RawResponse {
  readonly status: number
  /** By name in lower case; repeated headers are joined with commas. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly bytes: Uint8Array
}

export interface RawClient {
  send(request: RawRequest): Promise<RawResponse>
  /** Sends a body that never ends, byte by byte, and calls `begun` when the server has the headers. */
  upload(request: RawRequest, begun: () => void, signal: AbortSignal): Promise<RawResponse>
  close(): void
}

/** A response that is longer tells a check nothing; one without an end would keep the run from its own. */
const maxBytes = 5_000_000

const usualMaxMs = 30_000

/** Some servers look at a running upload only when a part of it arrives. */
const betweenBytesMs = 250

/** A server that does not respond within the time, or closes the connection, is an error. */
export function rawClient(origin: string, maxMs = usualMaxMs): RawClient {
  const { protocol, hostname, port, host } = new URL(origin)
  const isTls = protocol === 'https:'
  const agent = isTls ? new TlsAgent({ keepAlive: true }) : new Agent({ keepAlive: true })
  const open = ({ method, target, headers, body }: RawRequest, signal?: AbortSignal) =>
    (isTls ? httpsRequest : httpRequest)({
      ...{ hostname: hostname.replace(/^\[|\]$/g, ''), port, method, path: target, agent },
      headers: sentHeaders(host, { method, headers, body }).flat(),
      ...(signal && { signal }),
    })
  const exchange = (request: RawRequest, begin: (sent: ReturnType<typeof open>) => void) =>
    new Promise<RawResponse>((resolve, reject) => {
      const sent = open(request)
      // More than one may come.
      sent.on('error', reject)
      // Node reports no error for a switch of protocols that nobody asked for.
      sent.once('close', () => reject(new Error('the server closed the connection')))
      sent.once('response', (response) => {
        const parts: Buffer[] = []
        let length = 0
        response.on('data', (part: Buffer) => {
          parts.push(part)
          length += part.length
          if (length > maxBytes) sent.destroy(tooLong)
        })
        response.once('error', reject)
        response.once('end', () => {
          const [status, bytes] = [response.statusCode ?? 0, Buffer.concat(parts)]
          const text = bytes.toString()
          resolve({ status, headers: joined(response.headers), text, bytes })
        })
      })
      begin(sent)
    })
  return {
    send: (request) =>
      exchange(request, (sent) => {
        const timer = setTimeout(() => sent.destroy(tooLate(maxMs)), maxMs)
        sent.once('close', () => clearTimeout(timer))
        sent.end(request.body)
      }),
    upload: (request, begun, signal) =>
      exchange(request, (sent) => {
        signal.addEventListener('abort', () => sent.destroy(new Error('the check is over')))
        const timer = setInterval(() => sent.write('a'), betweenBytesMs)
        sent.once('close', () => clearInterval(timer))
        sent.once('socket', (socket) => {
          const flushed = () => sent.write('a', () => begun())
          if (socket.connecting) socket.once('connect', flushed)
          else flushed()
        })
      }),
    close: () => agent.destroy(),
  }
}

const tooLong = new Error(`the response has more than ${maxBytes} bytes`)

function tooLate(ms: number): Error {
  return new Error(`no whole response within ${ms / 1000} s`)
}

/** With the length of the body, which Node does not add to a list of headers. */
export function sentHeaders(
  host: string,
  { method, headers, body }: Omit<RawRequest, 'target'>,
): readonly HeaderLine[] {
  const isFramed = headers.some(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name))
  const hasBody = body !== undefined || !['GET', 'HEAD', 'OPTIONS'].includes(method)
  const framing = isFramed || !hasBody ? '' : String(Buffer.byteLength(body ?? ''))
  return [['Host', host], ...headers, ...(framing ? [['Content-Length', framing] as const] : [])]
}

function joined(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Readonly<Record<string, string>> {
  const rows = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as const],
  )
  return Object.fromEntries(rows)
}
