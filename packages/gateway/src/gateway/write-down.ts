import type { GateRequest, Grant } from '@latchkey/gate'
import { pathOf } from '@latchkey/protocol'
import type { Ending } from '@latchkey/service/http/forwarding'
import { joinMembers, type LogMembers, logMembers, shorten } from '@latchkey/service/observe/log'
import type { GateLog, GatewayMetrics } from './gateway-context.ts'

interface Exchanged {
  readonly request: GateRequest
  readonly requestId: string
  readonly milliseconds: number
  readonly grant?: Grant | undefined
}

export interface GatewayEnding extends Ending {
  /** Answered without being judged. */
  readonly isPreflight?: true
}

export type GatewayWriteDown = (ending: GatewayEnding, exchanged: Exchanged) => void

const faults = { client: 'client', upstream: 'storage', us: 'gate' } as const

/** `passed` is what it is called when a request was let through: handed on, or told to a proxy. */
export function writeDown(
  log: GateLog,
  metrics: GatewayMetrics,
  passed: 'forwarded' | 'admitted',
): GatewayWriteDown {
  const membersOf = grantMembers()
  const letThrough = logMembers({ outcome: passed })
  return ({ status, refusal, cut, isPreflight }, { request, requestId, milliseconds, grant }) => {
    const chosen = logMembers({
      method: request.method.slice(0, 32),
      path: shorten(pathOf(request.target)),
      status,
      address: request.address,
      ...(grant === undefined && refusal?.tokenId !== undefined && { token: refusal.tokenId }),
      reason: refusal?.reason,
    })
    const rounded = Math.round(milliseconds * 1000) / 1000
    const own = `${chosen},"requestId":"${requestId}","milliseconds":${rounded}` as LogMembers
    const line = (outcome: LogMembers) => joinMembers(outcome, membersOf(grant), own)
    if (cut !== undefined) {
      metrics.ended('cut', milliseconds / 1000)
      log(
        'request_aborted',
        line(logMembers({ outcome: 'cut', by: faults[cut], code: refusal?.code })),
      )
    } else if (refusal !== undefined) {
      metrics.ended(refusal.code, milliseconds / 1000)
      log('request_refused', line(logMembers({ outcome: 'refused', code: refusal.code })))
    } else if (isPreflight) {
      metrics.ended('preflight', milliseconds / 1000)
      log('preflight_answered', line(logMembers({ outcome: 'preflight' })))
    } else {
      metrics.ended(passed, milliseconds / 1000)
      log(`request_${passed}`, line(letThrough))
    }
  }
}

/** Writes the common fields of one grant's lines once. */
function grantMembers(): (grant: Grant | undefined) => LogMembers {
  const cachedMembers = new WeakMap<Grant, LogMembers>()
  return (grant) => {
    if (grant === undefined) return logMembers({})
    const before = cachedMembers.get(grant)
    if (before !== undefined) return before
    const { subject, tokenId: token, kid, repository, ref, scope } = grant
    const members = logMembers({ subject, token, kid, repository, ref, scope })
    cachedMembers.set(grant, members)
    return members
  }
}
