/** The body of a request on its way to the storage, apart from the connection it comes by. */

import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { namesIdentity } from '@latchkey/gate/headers'
import { type Refusal, refuse } from '@latchkey/protocol'
import type { Lateness } from '@latchkey/service/http/deadlines'
import { headerPairs } from '@latchkey/service/http/headers'

export interface Upload {
  readonly body: Readable | null
  /** Whether the storage is slower than the client. */
  isHeld(): boolean
}

/** The body may be destroyed by its reader. The client's connection stays, because the answer goes back on it. */
export function uploadOf(request: IncomingMessage, onBadTrailer: () => void): Upload {
  if (!hasBody(request)) return { body: null, isHeld: () => false }
  // Until the storage is connected the body is not read; the client is not to blame for that.
  let isHeld = true
  const body = new Readable({
    read() {
      isHeld = false
      request.resume()
    },
    destroy(error, done) {
      request.off('data', take).off('end', end).off('close', close)
      // The rest of the body is read and dropped.
      request.resume()
      done(error)
    },
  })
  const take = (chunk: Buffer) => {
    if (body.push(chunk)) return
    isHeld = true
    request.pause()
  }
  const end = () => {
    request.off('close', close)
    if (hasIdentityTrailer(request)) onBadTrailer()
    else body.push(null)
  }
  const close = () => body.destroy(new Error('the client went away'))
  request.on('data', take).on('end', end).on('close', close)
  request.pause()
  return { body, isHeld: () => isHeld }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Trailers are never handed on; one that claims to be the gate's is an attempt. */
function hasIdentityTrailer({ rawTrailers }: IncomingMessage): boolean {
  return headerPairs(rawTrailers).some(([name]) => namesIdentity(name))
}

const timeouts: ReadonlySet<unknown> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'ETIMEDOUT',
])

export function upstreamFailed(error: Error): Refusal {
  const reason = error.message
  if ('code' in error && timeouts.has(error.code)) return { ...upstreamTimeout, reason }
  return refuse(
    'upstream_unreachable',
    'The storage behind the gate cannot be reached, or it ended the connection. Try again; its operator finds the request id in the log.',
    { retryAfterSeconds: 1, reason },
  )
}

const upstreamTimeout = refuse(
  'upstream_timeout',
  'The storage behind the gate did not answer in time. Try again; its operator finds the request id in the log.',
)

export function upstreamTooLate(lateness: Lateness): Refusal {
  return { ...upstreamTimeout, reason: lateness }
}

export const badTrailer = refuse(
  'bad_request',
  'Trailers that begin with Latchkey- are not accepted. Leave them out.',
)
