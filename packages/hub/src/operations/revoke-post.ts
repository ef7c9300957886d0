/** One report of leaked tokens as the log keeps it: counts, and never which were alive. */

import type { RefusalCode } from '@latchkey/protocol'
import type { HubLog } from './log-events.ts'

export interface RevokePost {
  /** How many were reported, whatever they were; undefined where the body was not read. */
  readonly tokens: number | undefined
  readonly outcome: 'accepted' | RefusalCode
  readonly requestId: string
  readonly milliseconds: number
}

export function logRevokePost(log: HubLog, post: RevokePost): void {
  log('revoke_posted', { ...post })
}
