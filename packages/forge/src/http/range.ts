/** The part of a file that a request asks for. */

import type { IncomingMessage } from 'node:http'
import { type Refusal, refuse } from '@latchkey/protocol'
import type { BlobRange } from '../git/index.ts'
import type { ForgeReply, StreamedBody } from './reply.ts'

export interface RangedReply {
  readonly size: number
  readonly etag: string
}

/**
 * Undefined for the whole file: also where several parts are asked for, and where the client has a part of another
 * version. RFC 9110 §13.1.5, §14.2
 */
export function readRange(
  { headers, method }: IncomingMessage,
  { size, etag }: RangedReply,
): BlobRange | Refusal | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,20})-(\d{0,20})$/.exec(headers.range ?? '') ?? []
  if (method !== 'GET' || size === 0 || (first === '' && last === '')) return undefined
  if (headers['if-range'] !== undefined && headers['if-range'] !== etag) return undefined
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1)
  if (start < end) return { start, end }
  return refuse('range_not_satisfiable', `The file has ${size} bytes.`, { wholeBytes: size })
}

export interface Content {
  readonly size: number
  readonly range: BlobRange | undefined
  readonly headers: readonly string[]
  /** All bytes of the reply at once, or as they come. */
  readonly parts: Uint8Array | StreamedBody['parts']
}

/** A file, or the part of it that was asked for. */
export function fileReply({ size, range, headers, parts }: Content): ForgeReply {
  const length = range === undefined ? size : range.end - range.start
  const body = parts instanceof Uint8Array ? parts : { length, parts }
  // Of a file without bytes there is no part, and some clients learn its size from this line alone.
  if (size === 0) return { headers: [...headers, 'Content-Range', 'bytes */0'], body }
  if (range === undefined) return { headers, body }
  const part = `bytes ${range.start}-${range.end - 1}/${size}`
  return { status: 206, headers: [...headers, 'Content-Range', part], body }
}
