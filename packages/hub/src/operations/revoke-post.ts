/** Reports of leaked tokens as the log keeps them: each report with its count, and the ids that were revoked. */

import type { HubTokenId, RefusalCode } from '@latchkey/protocol'
import type { HubLog } from './log-events.ts'

export interface RevokePost {
  /** How many were reported, whatever they were; undefined where the body was not read. */
  readonly tokens: number | undefined
  readonly outcome: 'accepted' | RefusalCode
  readonly address: string
  readonly requestId: string
  readonly milliseconds: number
}

export function logRevokePost(log: HubLog, post: RevokePost): void {
  log('revoke_posted', { ...post })
}

/** The ids that one window of reports revoked. */
export interface RevokedByReport {
  readonly hubTokens: readonly HubTokenId[]
  readonly storageTokens: readonly string[]
  readonly requestIds: readonly string[]
}

/** A log line stays readable; the journal has every hub token. */
const maxLoggedIds = 100

export function logRevoked(
  log: HubLog,
  { hubTokens, storageTokens, requestIds }: RevokedByReport,
): void {
  log('tokens_revoked', {
    hubTokens: hubTokens.slice(0, maxLoggedIds),
    storageTokens: storageTokens.slice(0, maxLoggedIds),
    hubTokenCount: hubTokens.length,
    storageTokenCount: storageTokens.length,
    requestIds: requestIds.slice(0, maxLoggedIds),
  })
}
