import type { Clock } from '@latchkey/protocol'
import type { WriteDown } from '../http/write-down.ts'
import type { IssueDeps } from '../issue/issue-token.ts'
import type { Tickets } from '../link/tickets.ts'
import type { HubLog } from '../operations/log-events.ts'
import type { VerbWork } from '../run-verb/verb-deps.ts'
import type { Store } from '../stores/store.ts'
import type { CreationRules } from './creation-rules.ts'

export interface AsCallerDeps {
  readonly issuing: IssueDeps
  readonly work: VerbWork
  readonly readBeside: Store['readBeside']
  readonly clock: Clock
  readonly log: HubLog
  readonly writeDown: WriteDown
  readonly rules: CreationRules
  readonly tickets: Pick<Tickets, 'read'>
}
