/** The forward-auth endpoint: a proxy asks whether a request may pass, and hears who is let in. */

import type { Gate, GateRequest, Grant, RawRequest } from '@latchkey/gate'
import { answerFor, withRawHeaders } from '@latchkey/gate/authenticate'
import { gateRequestOf, responseOf } from '@latchkey/gate/fetch'
import { identityHeaders } from '@latchkey/gate/headers'
import {
  type Answer,
  isRefusal,
  type OptionTypes,
  type Refusal,
  refuseOptions,
} from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'
import { idsFrom, pooledRandom } from '@latchkey/service/machine/random'
import { systemClock } from '@latchkey/service/machine/time'
import { type ForwardAuthProxy, originalRequest } from './original-request.ts'

export interface ForwardAuthOptions {
  /**
   * For how long a proxy may keep a yes; never beyond the token's `exp`, nor beyond the bound of
   * revocations.
   *
   * @default 10
   */
  readonly cacheSeconds?: number
  /** @default the system's time */
  readonly clock?: () => number
}

const types: OptionTypes<ForwardAuthOptions> = { cacheSeconds: 'number', clock: 'function' }

interface ForwardAuthResult {
  readonly answer: Answer
  /** The request that the proxy asks about, as far as it could be read. */
  readonly request: RawRequest
  readonly requestId: string
  readonly grant?: Grant | undefined
  readonly refusal?: Refusal
}

export type ForwardAuthEndpoint = (question: GateRequest) => Promise<ForwardAuthResult>

/** The endpoint for one proxy, as a function of what was asked. */
export function forwardAuthEndpoint(
  gate: Gate,
  proxy: ForwardAuthProxy,
  options: ForwardAuthOptions = {},
): ForwardAuthEndpoint {
  refuseOptions('forwardAuth', options, types, CannotStart)
  const { cacheSeconds = 10, clock = systemClock } = options
  const newId = idsFrom(pooledRandom())
  return async (gateRequest) => {
    const question = withRawHeaders(gateRequest)
    const requestId = newId()
    const refused = (refusal: Refusal, request: RawRequest, grant?: Grant): ForwardAuthResult => {
      const answer = readable(answerFor(refusal, question, requestId), proxy)
      return { answer, request, requestId, refusal, grant }
    }
    const original = originalRequest(proxy, question)
    if (isRefusal(original)) return refused(original, question)
    const checked = await gate.check(original)
    if (!checked.ok) return refused(checked.refusal, original, checked.grant)
    const { grant } = checked
    const keep = Math.min(cacheSeconds, grant.expiresAt - clock(), secondsOfNews(gate))
    return {
      answer: yes(grant, requestId, wholeSeconds(keep)),
      request: original,
      requestId,
      grant,
    }
  }
}

/** A yes that is kept for longer would outlive the token, were it taken back after the hub was last asked. */
function secondsOfNews({ revocations: { latest, bounds } }: Gate): number {
  const snapshot = latest()
  if (snapshot === undefined) return 0
  return Math.min(bounds.normalSeconds - snapshot.ageSeconds(), snapshot.secondsLeft())
}

function wholeSeconds(seconds: number): number {
  return Math.max(0, Math.floor(seconds))
}

/** The same as a handler of Requests, for proxies that name the original request in headers. */
export function forwardAuth(
  gate: Gate,
  proxy: ForwardAuthProxy,
  options: ForwardAuthOptions & {
    readonly addressOf?: (request: Request) => string | undefined
  } = {},
): (request: Request) => Promise<Response> {
  if (proxy === 'envoy') {
    throw new CannotStart(
      'envoy asks with the path itself, and a Request shows it repaired; run the endpoint as a process: latchkey gate --forward-auth envoy',
    )
  }
  const { addressOf, ...others } = options
  const answerProxy = forwardAuthEndpoint(gate, proxy, others)
  return async (request) => {
    const { answer } = await answerProxy(gateRequestOf(request, addressOf?.(request)))
    return responseOf(answer)
  }
}

/** Envoy takes nothing but 200 for a yes. */
function yes(grant: Grant, requestId: string, keepSeconds: number): Answer {
  const headers = [
    ...identityHeaders(grant),
    ...['X-Request-Id', requestId],
    // nginx alone obeys the first, and only if it comes first; a proxy that keeps nothing ignores it.
    ...['X-Accel-Expires', String(keepSeconds)],
    ...['Cache-Control', 'no-store'],
    ...['Content-Length', '0'],
  ]
  return { status: 200, headers, body: '', encoding: 'latin1' }
}

/** nginx turns whatever is not 2xx, 401 or 403 into 500, as if the gate were broken. */
function readable(answer: Answer, proxy: ForwardAuthProxy): Answer {
  return proxy === 'nginx' && [400, 404].includes(answer.status)
    ? { ...answer, status: 403 }
    : answer
}
