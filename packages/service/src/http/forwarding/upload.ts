/** The body of a request on its way to the upstream, apart from the connection it comes by. */

import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Refusal } from '@latchkey/protocol'
import type { Lateness } from '../deadlines.ts'
import { headerPairs } from '../headers.ts'
import type { UpstreamRefusals } from './handover.ts'

export interface Upload {
  readonly body: Readable | null
  /** Whether the upstream is slower than the client. */
  isHeld(): boolean
}

export interface TrailerRule {
  readonly refuseTrailer: UpstreamRefusals['trailer']
  readonly onRefused: (refusal: Refusal) => void
}

/** The body may be destroyed by its reader. The client's connection stays, because the answer goes back on it. */
export function uploadOf(
  request: IncomingMessage,
  { refuseTrailer, onRefused }: TrailerRule,
): Upload {
  if (!hasBody(request)) return { body: null, isHeld: () => false }
  // Until the upstream is connected the body is not read; the client is not to blame for that.
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
    const refusal = refuseTrailer && refusalOf(request, refuseTrailer)
    if (refusal === undefined) body.push(null)
    else onRefused(refusal)
  }
  const close = () => body.destroy(new Error('the client went away'))
  request.on('data', take).on('end', end).on('close', close)
  request.pause()
  return { body, isHeld: () => isHeld }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Trailers are never handed on; one that claims to be ours is an attempt. */
function refusalOf(
  { rawTrailers }: IncomingMessage,
  refuseTrailer: (name: string) => Refusal | undefined,
): Refusal | undefined {
  for (const [name] of headerPairs(rawTrailers)) {
    const refusal = refuseTrailer(name)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

const timeouts: ReadonlySet<unknown> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'ETIMEDOUT',
])

export function upstreamFailed(error: Error, { unreachable, timeout }: UpstreamRefusals): Refusal {
  const isTimeout = 'code' in error && timeouts.has(error.code)
  return { ...(isTimeout ? timeout : unreachable), reason: error.message }
}

export function upstreamTooLate(
  lateness: Lateness,
  { timeout }: Pick<UpstreamRefusals, 'timeout'>,
): Refusal {
  return { ...timeout, reason: lateness }
}
