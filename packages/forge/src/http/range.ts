/** The part of a file that a request asks for. */

import type { IncomingMessage } from 'node:http'
import { type Refusal, refuse } from '@latchkey/protocol'

export interface ByteRange {
  readonly start: number
  /** Not included. */
  readonly end: number
}

/** Undefined for the whole file, also where several parts are asked for. RFC 9110 §14.2 */
export function readRange(
  { headers, method }: IncomingMessage,
  size: number,
): ByteRange | Refusal | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.range ?? '') ?? []
  if (method !== 'GET' || (first === '' && last === '')) return undefined
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1)
  if (start < end) return { start, end }
  return refuse('range_not_satisfiable', `The file has ${size} bytes.`, { wholeBytes: size })
}
