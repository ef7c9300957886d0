/** Requests at a storage with one token, and what a client does with several of them. */

import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { ReadableStream as WebStream } from 'node:stream/web'
import { headerPairs } from '@latchkey/service/http/headers'
import { makeShard } from '@latchkey/testing/xet/making'
import {
  chunkHeaderLength,
  type FileToRegister,
  isFormatError,
  readChunkHeader,
  unpackWhole,
  type WrittenXorb,
} from '@latchkey/xet/format'

interface Asking {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | ReadableStream<Uint8Array>
}

export interface Sent extends Omit<Asking, 'method'> {
  /** Another token; `null` sends none. */
  readonly token?: string | null
}

export interface Told {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  readonly text: string
  readonly json: Readonly<Record<string, unknown>>
  /** Of a refusal. */
  readonly code: unknown
}

export interface Caller {
  readonly token: string
  /** The address of the repository and ref, as the storage itself is reached. */
  readonly url: string
  /** `GET /v1/xorbs/default/…` */
  ask(call: string, sent?: Sent): Promise<Told>
  /** At a URL that the storage has given out. */
  fetch(url: string, asking?: Omit<Asking, 'body'>): Promise<Told>
  upload(xorb: Pick<WrittenXorb, 'hash'> & { readonly bytes: Uint8Array }): Promise<Told>
  register(files: readonly FileToRegister[], xorbs?: readonly WrittenXorb[]): Promise<Told>
  /** The bytes of a file, or the refusal of its reconstruction. */
  download(file: string): Promise<Buffer | Told>
}

export function callerWith(
  storageUrl: string,
  { token, casUrl }: { readonly token: string; readonly casUrl: string },
): Caller {
  const reachable = (given: string) => storageUrl + given.slice(new URL(given).origin.length)
  const url = reachable(casUrl)
  const ask: Caller['ask'] = (call, sent = {}) => {
    const [method = '', path = ''] = call.split(' ')
    const own = sent.token === undefined ? token : sent.token
    return tell(url + path, {
      method,
      headers: { ...(own !== null && { authorization: `Bearer ${own}` }), ...sent.headers },
      ...(sent.body !== undefined && { body: sent.body }),
    })
  }
  const fetchGiven: Caller['fetch'] = (given, asking) => tell(reachable(given), asking)
  return {
    ...{ token, url, ask, fetch: fetchGiven },
    upload: ({ hash, bytes }) => ask(`POST /v1/xorbs/default/${hash}`, { body: bodyOf(bytes) }),
    register: (files, xorbs = []) =>
      ask('POST /v1/shards', { body: bodyOf(makeShard({ files, xorbs })) }),
    async download(file) {
      const told = await ask(`GET /v2/reconstructions/${file}`)
      return told.status === 200 ? fetchAll(told, fetchGiven) : told
    },
  }
}

export function bodyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes)
}

/**
 * In less processor time than `fetch` takes. Each on a connection of its own: one that was used before may have been cut with its
 * token, which shows only a moment later.
 */
export async function tell(url: string, { method, headers, body }: Asking = {}): Promise<Told> {
  const asking = request(url, { agent: false, method, headers: { ...headers, ...lengthOf(body) } })
  const answered = once(asking, 'response')
  // An answer that comes before the end of the body ends the connection.
  asking.on('error', () => {})
  if (body instanceof ReadableStream) Readable.fromWeb(body as WebStream).pipe(asking)
  else asking.end(body)
  const [answer] = (await answered) as [IncomingMessage]
  const bytes = await buffer(answer)
  const { statusCode: status = 0, rawHeaders } = answer
  const told = new Headers(headerPairs(rawHeaders))
  const isJson = /^application\/(problem\+)?json/.test(told.get('content-type') ?? '')
  const json = isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : {}
  return {
    ...{ status, headers: told, bytes, json, code: json.code },
    // Content is no text: it would be decoded for nothing.
    get text() {
      return bytes.toString()
    },
  }
}

/** A stream is sent in pieces. */
function lengthOf(body: Sent['body']) {
  if (body instanceof ReadableStream) return {}
  return body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
}

/** The second form of a reconstruction. */
export interface Recipe {
  readonly offset_into_first_range: number
  readonly terms: readonly {
    readonly hash: string
    readonly unpacked_length: number
    readonly range: Run
  }[]
  readonly xorbs: Readonly<Record<string, readonly Given[]>>
}

interface Given {
  readonly url: string
  readonly ranges: readonly { readonly chunks: Run; readonly bytes: Run }[]
}

interface Run {
  readonly start: number
  readonly end: number
}

async function fetchAll({ json }: Told, fetchGiven: Caller['fetch']): Promise<Buffer> {
  const { terms, xorbs } = json as unknown as Recipe
  const chunks = new Map<string, Uint8Array>()
  for (const [xorb, given] of Object.entries(xorbs)) {
    for (const { url, ranges } of given) {
      for (const { bytes, chunks: run } of ranges) {
        const told = await fetchGiven(url, { headers: { range: rangeOf(bytes) } })
        if (told.status !== 206) throw new Error(`${told.status}: ${told.text}`)
        for (const [at, chunk] of unpackAll(told.bytes).entries()) {
          chunks.set(`${xorb} ${run.start + at}`, chunk)
        }
      }
    }
  }
  const parts = terms.flatMap(({ hash, range: { start, end } }) =>
    Array.from({ length: end - start }, (_, at) => chunks.get(`${hash} ${start + at}`)),
  )
  return Buffer.concat(parts.map((part) => part ?? Buffer.from('(a chunk that was not given)')))
}

export function rangeOf({ start, end }: Run): string {
  return `bytes=${start}-${end}`
}

function unpackAll(bytes: Buffer): readonly Uint8Array[] {
  const chunks: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const header = readChunkHeader(bytes.subarray(at))
    if (isFormatError(header)) throw new Error(header.flaw)
    const end = at + chunkHeaderLength + header.packedLength
    const chunk = unpackWhole(bytes.subarray(at, end))
    if (isFormatError(chunk)) throw new Error(chunk.flaw)
    chunks.push(chunk)
    at = end
  }
  return chunks
}
