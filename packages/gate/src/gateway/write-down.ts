/** One log line and one measurement for every request at the gate. */

import { pathOf } from '@latchkey/protocol'
import { shorten } from '@latchkey/service/log'
import type { Ending } from '../forwarding/handover.ts'
import type { Grant } from '../grant/grant.ts'
import type { GateRequest } from '../request/gate-request.ts'
import type { GateLog } from './log-events.ts'
import type { Metrics } from './metrics.ts'

export interface Exchanged {
  readonly asked: GateRequest
  readonly requestId: string
  readonly milliseconds: number
  readonly grant?: Grant | undefined
}

export type WriteDown = (ending: Ending, exchanged: Exchanged) => void

/** `passed` is what it is called when a request was let through: handed on, or told to a proxy. */
export function writeDown(
  log: GateLog,
  metrics: Metrics,
  passed: 'forwarded' | 'admitted',
): WriteDown {
  return ({ status, refusal, cut, isPreflight }, { asked, requestId, milliseconds, grant }) => {
    const fields = {
      subject: grant?.subject,
      token: grant?.tokenId,
      kid: grant?.kid,
      repository: grant?.repository,
      ref: grant?.ref,
      scope: grant?.scope,
      method: asked.method.slice(0, 32),
      path: shorten(pathOf(asked.target)),
      status,
      reason: refusal?.reason,
      requestId,
      milliseconds: Math.round(milliseconds * 1000) / 1000,
    }
    if (cut !== undefined) {
      metrics.ended('cut', milliseconds / 1000)
      log('request_cut', { outcome: 'cut', by: cut, code: refusal?.refused, ...fields })
    } else if (refusal !== undefined) {
      metrics.ended(refusal.refused, milliseconds / 1000)
      log('request_refused', { outcome: 'refused', code: refusal.refused, ...fields })
    } else if (isPreflight) {
      metrics.ended('preflight', milliseconds / 1000)
      log('preflight_answered', { outcome: 'preflight', ...fields })
    } else {
      metrics.ended(passed, milliseconds / 1000)
      log(`request_${passed}`, { outcome: passed, ...fields })
    }
  }
}
