/** Why a request could not be handed on, in words for the person who sent it. */

import { type Refusal, refuse } from '@latchkey/protocol'
import type { Lateness } from './deadlines.ts'

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

export function tooLate(lateness: Lateness, isClientsTurn: boolean): Refusal {
  if (!isClientsTurn) return { ...upstreamTimeout, reason: lateness }
  return refuse('request_timeout', sentenceOf[lateness], { reason: lateness })
}

const sentenceOf: Record<Lateness, string> = {
  idle: 'The body of the request stopped arriving. Send the request again.',
  too_slow:
    'The body of the request arrives too slowly. Send it again on a better connection, or in smaller parts.',
  too_long: 'The request took longer than the gate allows. Send it again in smaller parts.',
}

export const badTrailer = refuse(
  'bad_request',
  'Trailers that begin with Latchkey- are not accepted. Leave them out.',
)
