/** A connection to where blob URLs lead: it reads each body straight into the caller's memory, and stays open for the next. */

import { connect as connectPlain, type LookupFunction, type Socket } from 'node:net'
import type { ByteRange } from '../download/download-calls.ts'
import { type BlobHead, mostHeadBytes, readBlobHead } from './blob-head.ts'
import type { BlobTarget } from './blob-target.ts'

/** How long the connection may stand still. */
const timeoutMs = 300_000
/** Servers close idle connections after about 5 s; one that is older is not used again. */
const idleMs = 3000

export interface Exchange {
  /** As the answer says; `other` if its head has another form than the plain one, undefined if nothing came. */
  readonly status: number | 'other' | undefined
  readonly bytes: number
  /** Why nothing came. */
  readonly failure?: Error | undefined
}

export interface BlobConnection {
  isClosed(): boolean
  /** Whether it can be asked, for a URL that leads to one of these addresses. */
  isFreeFor(target: BlobTarget): boolean
  ask(url: URL, range: ByteRange, into: Uint8Array): Promise<Exchange>
  close(): void
}

interface Asking {
  readonly into: Uint8Array
  readonly finish: (exchange: Exchange) => void
  head: BlobHead | undefined
  filled: number
}

/** Node's HTTP client makes a new buffer of each part that comes: four times the work of reading into ours. */
export function blobConnection(target: BlobTarget): BlobConnection {
  const headBytes = Buffer.allocUnsafeSlow(mostHeadBytes)
  let headFilled = 0
  let asking: Asking | undefined

  const settle = (exchange: Exchange, staysOpen: boolean) => {
    const { finish } = asking ?? {}
    asking = undefined
    headFilled = 0
    if (staysOpen) socket.unref().setTimeout(idleMs)
    else socket.destroy()
    finish?.(exchange)
  }
  const settleBroken = (failure?: Error) => {
    const { filled: bytes = 0, head } = asking ?? {}
    settle({ status: bytes > 0 ? head?.status : undefined, bytes, failure }, false)
  }
  const takeBody = (now: Asking, head: BlobHead, bytes: number) => {
    now.filled += bytes
    if (now.filled < now.into.length) return
    settle({ status: head.status, bytes: now.filled }, head.keepsAlive)
  }
  const takeHead = (now: Asking) => {
    const head = readBlobHead(headBytes.subarray(0, headFilled))
    if (head === undefined) return
    if (head === 'other') return settle({ status: 'other', bytes: 0 }, false)
    const isWanted = head.status < 300 && head.contentLength === now.into.length
    const begun = headFilled - head.length
    if (!isWanted || begun > now.into.length) {
      return settle({ status: head.status, bytes: 0 }, false)
    }
    now.head = head
    now.into.set(headBytes.subarray(head.length, headFilled))
    takeBody(now, head, begun)
  }
  const socket = open(target, {
    buffer() {
      if (asking?.head === undefined) return headBytes.subarray(headFilled)
      return asking.into.subarray(asking.filled)
    },
    callback(length) {
      if (asking === undefined) {
        // Nobody has asked for anything.
        socket.destroy()
      } else if (asking.head === undefined) {
        headFilled += length
        takeHead(asking)
      } else takeBody(asking, asking.head, length)
      return true
    },
  })
  socket.on('error', settleBroken)
  for (const end of ['timeout', 'end', 'close']) socket.on(end, () => settleBroken())

  return {
    isClosed: () => socket.destroyed,
    isFreeFor: ({ url, addresses }) =>
      asking === undefined &&
      !socket.destroyed &&
      url.origin === target.url.origin &&
      addresses.some(({ address }) => address === socket.remoteAddress),
    ask: (url, { start, end }, into) =>
      new Promise((finish) => {
        asking = { into, finish, head: undefined, filled: 0 }
        socket.ref().setTimeout(timeoutMs)
        // A parsed URL has no line breaks in it.
        socket.write(
          `GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nRange: bytes=${start}-${end}\r\nAccept-Encoding: identity\r\n\r\n`,
        )
      }),
    close: () => settleBroken(),
  }
}

interface OnRead {
  buffer(): Uint8Array
  callback(length: number): boolean
}

function open({ url, host, addresses }: BlobTarget, onread: OnRead): Socket {
  const isSecure = url.protocol === 'https:'
  const port = Number(url.port) || (isSecure ? 443 : 80)
  const options = { host, port, lookup: pinned(addresses), onread, noDelay: true }
  if (!isSecure) return connectPlain(options)
  // Loaded here, because plain http needs none of it and it takes 15 ms.
  const tls = process.getBuiltinModule('node:tls')
  return tls.connect({ ...options, ...(isName(host) ? { servername: host } : {}) })
}

/** RFC 6066 §3: an address is no server name. */
function isName(host: string): boolean {
  return !/^[\d.]+$|:/.test(host)
}

/** A second look-up could give an address that was not judged. */
export function pinned(addresses: BlobTarget['addresses']): LookupFunction {
  return (_hostname, { all }, found) => {
    const [first] = addresses
    if (all) found(null, [...addresses])
    else found(null, first?.address ?? '', first?.family)
  }
}
