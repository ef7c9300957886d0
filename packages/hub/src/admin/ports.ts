/** What the admin API needs from the hub it is part of. */

import type { IncomingMessage } from 'node:http'
import type { Clock } from '@latchkey/protocol'
import type { ClientAddress } from '@latchkey/service/http/client-address'
import type { Caller } from '../identity/caller.ts'
import type { Outcome } from '../issue/authenticate.ts'
import type { JournalWatch } from '../journal/journal-watch.ts'
import type { AdminCall } from '../operations/admin-call.ts'
import type { Directory } from '../tables/directory.ts'
import type { Looking } from '../verbs/does.ts'

export interface AdminPorts
  extends Pick<
    Looking,
    'randomBytes' | 'hubTokenPrefix' | 'findRepository' | 'policy' | 'keys' | 'verifyOwnToken'
  > {
  readonly directory: Directory
  /** For verbs that wait for a change. */
  readonly watch: JournalWatch
  readonly clock: Clock
  readonly clientAddress: ClientAddress
  /** Whose hub token the request carries, or why it counts for nothing. */
  identify(request: IncomingMessage): Promise<Outcome<Caller>>
  logAdminCall(call: AdminCall): void
}
