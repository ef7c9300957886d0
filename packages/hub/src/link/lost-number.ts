/** Acts on a storage that knows of an entry which the journal lacks: the hub's database was rolled back. */

import type { Clock } from '@latchkey/protocol'
import type { HubLog } from '../operations/log-events.ts'
import { answerRollback, type RollbackWork } from '../rollback/answer-rollback.ts'
import { hubTokenIdOf, serviceOrigin } from './link-origin.ts'
import type { LinkDeps } from './link-routes.ts'

export interface LostNumberDeps extends Omit<RollbackWork, 'now'> {
  readonly clock: Clock
  /** The operating system's user, in whose name the embedded storage acts. */
  readonly user: string
}

export function lostNumbers(deps: LostNumberDeps): LinkDeps['onKnownNumber'] {
  const { clock, user } = deps
  const log = ignoredOnce(deps.log)
  return ({ number: knownNumber, caller, requestId }) => {
    const origin = serviceOrigin({ caller, user, requestId })
    const report = { knownNumber, knownBy: hubTokenIdOf(caller), origin, isOfStorage: true }
    return answerRollback({ ...deps, log, now: clock() }, report)
  }
}

/** A storage sends a number with every question until the journal has passed it: one line is enough. */
function ignoredOnce(log: HubLog): HubLog {
  let last: string | undefined
  return (event, fields) => {
    if (event === 'rollback_report_ignored') {
      const report = JSON.stringify(fields)
      if (report === last) return
      last = report
    }
    log(event, fields)
  }
}
