/** Why a blob URL did not give its bytes. */

import { RangeFetchError } from '../download/download-calls.ts'
import { IntegrityError } from '../format/format-error.ts'

/** A redirect could lead anywhere, so none is followed. */
export function reasonFor(status: number, bytes: number): RangeFetchError {
  if (status >= 300 && status < 400) {
    throw new IntegrityError('the URL of the storage redirects, which is not followed')
  }
  if (status >= 400)
    return new RangeFetchError(`the storage responded with ${status} to its own URL`)
  if (status === 0 || bytes > 0) return brokenOff()
  return new RangeFetchError('the URL of the storage returned more or fewer bytes than announced')
}

export function brokenOff(): RangeFetchError {
  return new RangeFetchError('the storage stopped in the middle of its response')
}

/** No connection came about: its name, its port or its certificate is wrong. The code is Node's. */
export function notReached(error: unknown): RangeFetchError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!/^[A-Z\d_]+$/.test(code) || afterConnecting.test(code)) return brokenOff()
  return new RangeFetchError(`the storage's own URL cannot be reached (${code})`)
}

const afterConnecting = /^(?:HPE_|ECONNRESET$|EPIPE$)/
