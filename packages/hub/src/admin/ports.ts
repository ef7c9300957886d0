/** What the admin API needs from the hub it is part of. */

import type { IncomingMessage } from 'node:http'
import type { Clock, Refusal, RefusalCode } from '@latchkey/protocol'
import type { Directory, Work } from '../directory/directory.ts'
import type { VerbWork } from '../directory/operation.ts'
import type { Caller } from '../identity/caller.ts'

export interface AdminPorts
  extends Pick<Work, 'randomBytes' | 'hubTokenPrefix'>,
    Pick<VerbWork, 'findRepository' | 'policy'> {
  readonly directory: Directory
  readonly clock: Clock
  /** Whose hub token the request carries, or why it counts for nothing. */
  authenticate(request: IncomingMessage): Promise<Caller | Refusal>
  logAdminCall(call: AdminCall): void
  /** Something broke; the caller learns no more than that. */
  logFailure(error: unknown, requestId: string): void
}

/** One call as the log keeps it: who did what, and never with which values. */
export interface AdminCall {
  readonly verb: string
  /** The id of the account that asked; undefined when the caller was not recognised. */
  readonly subject: string | undefined
  /** The id of the hub token that it asked with. */
  readonly hubToken: string | undefined
  readonly outcome: 'done' | 'refused' | 'failed'
  readonly code: RefusalCode | undefined
  readonly requestId: string
  readonly milliseconds: number
}
