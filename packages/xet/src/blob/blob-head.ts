/** Reads the head of an answer to a blob URL, in the one plain form that can be read without a full HTTP parser. */

export interface BlobHead {
  /** Where the body begins. */
  readonly length: number
  readonly status: number
  readonly contentLength: number
  readonly keepsAlive: boolean
}

/** A longer head is not plain. */
export const maxHeadBytes = 16 * 1024

const statusLine = /^HTTP\/1\.1 ([2-5]\d\d)(?: [\t\x20-\x7e]*)?$/
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*([\t\x20-\x7e]*?)[\t ]*$/
const plainLength = /^(?:0|[1-9]\d{0,14})$/

/** Undefined while more must come; `other` for any form but the plain one: then Node's own parser reads it. */
export function readBlobHead(bytes: Buffer): BlobHead | 'other' | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return bytes.length < maxHeadBytes ? undefined : 'other'
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const status = statusLine.exec(first)?.[1]
  const headers = headersOf(lines)
  const length = headers?.get('content-length')
  if (status === undefined || headers === undefined || length === undefined) return 'other'
  if (!plainLength.test(length) || headers.has('transfer-encoding')) return 'other'
  return {
    length: end + 4,
    status: Number(status),
    contentLength: Number(length),
    keepsAlive: !/\bclose\b/i.test(headers.get('connection') ?? ''),
  }
}

/** Undefined where a line is no header, or a header comes twice: two lengths could be read in two ways. */
function headersOf(lines: readonly string[]): ReadonlyMap<string, string> | undefined {
  const headers = new Map<string, string>()
  for (const line of lines) {
    const [, name = '', value = ''] = headerLine.exec(line) ?? []
    if (name === '') return undefined
    const key = name.toLowerCase()
    if (headers.has(key) && framing.has(key)) return undefined
    headers.set(key, value)
  }
  return headers
}

/** The headers that decide where a body ends. */
const framing: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'connection'])
