/** Which answers may be better the next time, and how long the other side asks to wait. */

/** The part of a response's headers that the client reads. */
export type AnswerHeaders = Pick<Headers, 'get'>

/** 501 says that it never will be. */
export function isTransient(status = 0): boolean {
  return status === 429 || (status >= 500 && status !== 501)
}

/** RFC 9110 §10.2.3: seconds, or a date, which is read by the clock of the one who wrote it. */
export function readRetryAfter(headers: AnswerHeaders, nowMs: number): number {
  const value = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(value)) return Number(value)
  return Math.max(0, Math.ceil((Date.parse(value) - dateOf(headers, nowMs)) / 1000) || 0)
}

/**
 * The time of the server that made the response; this machine's own if the response has no `Date`.
 */
export function dateOf(headers: AnswerHeaders, nowMs: number): number {
  return Date.parse(headers.get('date') ?? '') || nowMs
}
