/** What the admin API needs from the hub it is part of. */

import type { IncomingMessage } from 'node:http'
import type { Clock, Refusal } from '@latchkey/protocol'
import type { Looking } from '../directory/nouns/does.ts'
import type { Directory } from '../directory/port/directory.ts'
import type { Caller } from '../identity/caller.ts'
import type { JournalWatch } from '../journal/journal-watch.ts'
import type { AdminCall } from '../operations/admin-call.ts'

export interface AdminPorts
  extends Pick<
    Looking,
    'randomBytes' | 'hubTokenPrefix' | 'findRepository' | 'policy' | 'keys' | 'verifyOwnToken'
  > {
  readonly directory: Directory
  /** For verbs that wait for a change. */
  readonly watch: JournalWatch
  readonly clock: Clock
  /** Whose hub token the request carries, or why it counts for nothing. */
  authenticate(request: IncomingMessage): Promise<Caller | Refusal>
  logAdminCall(call: AdminCall): void
}
