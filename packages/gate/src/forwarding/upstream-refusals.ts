/** Why a request could not be handed on, in words for the person who sent it. */

import { type Refusal, refuse } from '@latchkey/protocol'
import type { Lateness } from '@latchkey/service/http/deadlines'

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
    'The storage behind the gate cannot be reached or broke off. Try again; its operator finds the request id in the log.',
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
