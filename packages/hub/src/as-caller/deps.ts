import type { Clock } from '@latchkey/protocol'
import type { ClientAddress } from '@latchkey/service/http/addresses'
import type { WriteDown } from '../http/write-down.ts'
import type { IssueDeps } from '../issue/issue-token.ts'
import type { HubLog } from '../operations/log-events.ts'
import type { VerbWork } from '../run-verb/verb-deps.ts'
import type { SessionPort } from '../sign-in/session-port.ts'
import type { Store } from '../stores/store.ts'
import type { CreationRules } from './creation-rules.ts'

export interface AsCallerDeps {
  readonly issuing: IssueDeps
  readonly work: VerbWork
  readonly readBeside: Store['readBeside']
  readonly clientAddress: ClientAddress
  readonly clock: Clock
  readonly log: HubLog
  readonly writeDown: WriteDown
  readonly rules: CreationRules
  readonly sessions: Pick<SessionPort, 'findVisitor'>
}
