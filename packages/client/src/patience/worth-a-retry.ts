/** Which answers may be better the next time, and how long the other side asks to wait. */

/** 501 says that it never will be. */
export function isPassing(status: number): boolean {
  return status === 429 || (status >= 500 && status !== 501)
}

/** RFC 9110 §10.2.3: seconds, or a date, which is read by the clock of the one who wrote it. */
export function readRetryAfter(headers: Headers, nowMs: number): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value)
  const ownNow = Date.parse(headers.get('date') ?? '')
  const seconds = (Date.parse(value) - (Number.isNaN(ownNow) ? nowMs : ownNow)) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds))
}
