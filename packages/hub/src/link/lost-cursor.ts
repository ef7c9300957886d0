/** Acts on a storage that has followed the journal further than it goes: the hub's database was rolled back. */

import type { Clock } from '@latchkey/protocol'
import { answerRollback, type RollbackWork } from '../rollback/answer-rollback.ts'
import { hubTokenIdOf, storageOrigin } from './link-origin.ts'
import type { LinkPorts } from './ports.ts'

export interface LostCursorPorts extends Omit<RollbackWork, 'now'> {
  readonly clock: Clock
  /** The operating system's user, in whose name the embedded storage acts. */
  readonly user: string
}

export function lostCursors(ports: LostCursorPorts): LinkPorts['onUnknownCursor'] {
  const { clock, user } = ports
  return ({ number: known, caller, requestId }) => {
    const origin = storageOrigin({ caller, user, requestId })
    const report = { known, knownBy: hubTokenIdOf(caller), origin, isOfStorage: true }
    return answerRollback({ ...ports, now: clock() }, report)
  }
}
