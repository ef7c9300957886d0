/** Acts on a storage that has followed the journal further than it goes: the hub's database was rolled back. */

import type { Clock } from '@latchkey/protocol'
import { answerRollback, type RollbackWork, refuseReport } from '../rollback/answer-rollback.ts'
import { findLoss } from '../rollback/find-loss.ts'
import { hubTokenIdOf, storageOrigin } from './link-origin.ts'
import type { LinkPorts } from './ports.ts'

export interface LostCursorPorts extends Omit<RollbackWork, 'now'> {
  readonly clock: Clock
  /** The operating system's user, in whose name the embedded storage acts. */
  readonly user: string
}

export function lostCursors(ports: LostCursorPorts): LinkPorts['onUnknownCursor'] {
  const { directory, log, clock, user } = ports
  return async ({ number: known, caller, requestId }) => {
    const [knownBy, now] = [hubTokenIdOf(caller), clock()]
    const ignored = await directory.readBeside(async (tables) => {
      const lost = await findLoss(tables, known)
      return lost && (await refuseReport(tables, { known, nowMs: now * 1000 }))
    })
    if (ignored !== undefined) {
      log('rollback_report_ignored', { knownBy, number: known, reason: ignored })
      return
    }
    const origin = storageOrigin({ caller, user, requestId })
    await answerRollback({ ...ports, now }, { known, knownBy, origin })
  }
}
