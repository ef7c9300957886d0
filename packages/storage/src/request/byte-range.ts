/** The Range header: one range of bytes, or none. */

export interface RequestedRange {
  readonly start: number
  /** The last byte, included; undefined is up to the end. */
  readonly end: number | undefined
}

/** Undefined when there is none; `invalid` for what cannot be read, more than one range, and suffixes. */
export function parseByteRange(header: string | undefined): RequestedRange | undefined | 'invalid' {
  if (header === undefined) return undefined
  const [, first, last] = /^bytes=(\d{1,20})-(\d{0,20})$/.exec(header.trim()) ?? []
  if (first === undefined || last === undefined) return 'invalid'
  // Clients ask up to 2^64 for "the rest"; no file is longer than a number can say.
  const start = Math.min(Number(first), Number.MAX_SAFE_INTEGER)
  const end = last === '' ? undefined : Math.min(Number(last), Number.MAX_SAFE_INTEGER)
  return end !== undefined && end < start ? 'invalid' : { start, end }
}
