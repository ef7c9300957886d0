/** Stands between a storage and its store: counts what is asked of the store, and lets it fail as it is told. */

import {
  Agent,
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request as requestOf,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'

/** The methods of HTTP, but `list` for a `GET` of no object. */
export type RequestKind = 'put' | 'get' | 'head' | 'delete' | 'post' | 'list'

export interface StoreRequest {
  readonly kind: RequestKind
  /** Without the bucket. */
  readonly key: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  /** Of bodies, so far. */
  sentBytes: number
  receivedBytes: number
  /** Undefined until the store has responded. */
  status: number | undefined
}

/** What happens to one request. Nothing that is left out happens. */
export interface Fault {
  /** Before the store is asked. */
  readonly delayMs?: number
  /** The store is asked when this is fulfilled. */
  readonly after?: Promise<unknown>
  /** Resets the connection, and the store is not asked. */
  readonly isReset?: boolean
  /** Never responds. */
  readonly isSilent?: boolean
  /** Responds without asking the store, with a code of S3. */
  readonly response?: { readonly status: number; readonly code: string }
  /** Resets the connection when so many bytes have come up to here. */
  readonly cutRequestAt?: number
  /** Resets the connection when so many bytes have gone back from here. */
  readonly cutResponseAt?: number
  /** Ends the response there, as if no more had been promised. */
  readonly shortenResponseTo?: number
  /** Turns this byte of the response into another. */
  readonly spoilResponseAt?: number
  /** Does what is asked, and resets the connection in place of the response. */
  readonly loseResponse?: boolean
}

export interface FaultProxy {
  readonly endpoint: string
  readonly port: number
  /** All of them since the start, or since the last `forget`. */
  readonly requests: readonly StoreRequest[]
  forget(): void
  /** Decides about each request from now on. */
  decide(faultOf: (request: StoreRequest) => Fault | undefined): void
  /** Refuses connections, and resets those that are open. */
  refuse(): Promise<void>
  /** The end of all faults. */
  mend(): Promise<void>
  close(): Promise<void>
}

const host = '127.0.0.1'

/** The signature of a request is for the host that the storage asks, and stays right. */
export async function startFaultProxy(storePort: number): Promise<FaultProxy> {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 64 })
  const sockets = new Set<Socket>()
  const requests: StoreRequest[] = []
  let faultOf: Parameters<FaultProxy['decide']>[0] = () => undefined
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const request = requestFrom(incoming)
    requests.push(request)
    const fault = faultOf(request) ?? {}
    if (fault.delayMs !== undefined) await setTimeout(fault.delayMs)
    await fault.after
    if (fault.isSilent || incoming.socket.destroyed) return
    if (fault.isReset) incoming.socket.resetAndDestroy()
    else if (fault.response !== undefined) refuseRequest(fault.response, { incoming, outgoing })
    else forward({ request, fault, incoming, outgoing, storePort, agent })
  }
  const server = createServer({ keepAliveTimeout: 60_000, requestTimeout: 0 }, handle)
  server.on('checkContinue', handle)
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  const listen = (port: number) =>
    new Promise<void>((done) => server.listen(port, host, () => done()))
  const end = async () => {
    const closed = new Promise((done) => server.close(done))
    for (const socket of sockets) socket.resetAndDestroy()
    await closed
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://${host}:${port}`,
    port,
    requests,
    forget: () => void requests.splice(0),
    decide(newFaultOf) {
      faultOf = newFaultOf
    },
    refuse: end,
    async mend() {
      faultOf = () => undefined
      if (!server.listening) await listen(port)
    },
    async close() {
      await end()
      agent.destroy()
    },
  }
}

function requestFrom({ method = '', url = '', headers }: IncomingMessage): StoreRequest {
  const { pathname, searchParams: query } = new URL(url, `http://${host}`)
  const [, , ...segments] = pathname.split('/')
  const key = decodeURIComponent(segments.join('/'))
  const kind = method === 'GET' && key === '' ? 'list' : (method.toLowerCase() as RequestKind)
  return { kind, key, query, headers, sentBytes: 0, receivedBytes: 0, status: undefined }
}

interface Exchange {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
}

function refuseRequest(
  fault: NonNullable<Fault['response']>,
  { incoming, outgoing }: Exchange,
): void {
  // A client that still sends would lose the response with its connection; one that waits for leave sends nothing.
  if (!incoming.readableEnded && incoming.headers.expect === undefined) {
    incoming.once('end', () => refuseRequest(fault, { incoming, outgoing })).resume()
    return
  }
  const { status, code } = fault
  incoming.resume()
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>Said by a test.</Message></Error>`
  outgoing.writeHead(status, { 'Content-Type': 'application/xml', Connection: 'close' })
  outgoing.end(incoming.method === 'HEAD' ? undefined : body)
}

interface Forwarding extends Exchange {
  readonly request: StoreRequest
  readonly fault: Fault
  readonly storePort: number
  readonly agent: Agent
}

function forward(forwarding: Forwarding): void {
  const { request, fault, incoming, outgoing, storePort, agent } = forwarding
  const { method = '', url = '', rawHeaders, socket } = incoming
  const asked = requestOf({
    ...{ host, port: storePort, agent, method, path: url, headers: rawHeaders },
  })
  asked.on('error', () => socket.destroy())
  asked.on('continue', () => outgoing.writeContinue())
  asked.on('response', (response) => answer(response, forwarding))
  // Each side ends with the other.
  outgoing.on('close', () => void (outgoing.writableFinished || asked.destroy()))
  incoming.on('error', () => asked.destroy())
  incoming.on('data', (part: Buffer) => {
    request.sentBytes += part.length
    if (request.sentBytes >= (fault.cutRequestAt ?? Number.POSITIVE_INFINITY)) {
      cut(asked, socket)
    }
  })
  incoming.pipe(asked)
}

function cut(asked: ClientRequest, socket: Socket): void {
  asked.destroy()
  socket.resetAndDestroy()
}

function answer(
  response: IncomingMessage,
  { request, fault, incoming, outgoing }: Forwarding,
): void {
  const { statusCode = 500, rawHeaders } = response
  request.status = statusCode
  response.on('error', () => incoming.socket.destroy())
  if (fault.loseResponse) {
    incoming.socket.resetAndDestroy()
    response.resume()
    return
  }
  const { shortenResponseTo = Number.POSITIVE_INFINITY, cutResponseAt = Number.POSITIVE_INFINITY } =
    fault
  const most = Math.min(shortenResponseTo, cutResponseAt)
  outgoing.writeHead(statusCode, shortened(rawHeaders, shortenResponseTo))
  response.on('data', (part: Buffer) => {
    const at = request.receivedBytes
    request.receivedBytes += part.length
    const spoiled = (fault.spoilResponseAt ?? -1) - at
    if (spoiled >= 0 && spoiled < part.length) part[spoiled] = (part[spoiled] ?? 0) ^ 0xff
    const isFlowing = outgoing.write(part.subarray(0, Math.max(0, most - at)))
    if (request.receivedBytes >= cutResponseAt) {
      // What was written goes first.
      outgoing.write('', () => incoming.socket.destroy())
      response.destroy()
    } else if (!isFlowing) {
      response.pause()
      outgoing.once('drain', () => response.resume())
    }
  })
  response.on('end', () => outgoing.end())
}

function shortened(rawHeaders: readonly string[], most: number): string[] {
  return rawHeaders.map((value, index) => {
    const isLength = index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'content-length'
    return isLength ? String(Math.min(Number(value), most)) : value
  })
}
