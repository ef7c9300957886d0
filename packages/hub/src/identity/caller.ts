/** The caller of a request: an account, identified by one of its hub tokens. */

import type { HubTokenGrant, HubTokenKind, UnixSeconds } from '@latchkey/protocol'

/** A hub token and its account, as the directory holds them. */
export interface CallerRecord {
  readonly accountId: string
  readonly accountName: string
  readonly accountDisabled: boolean
  readonly administrator: boolean
  readonly hubTokenId: string
  readonly kind: HubTokenKind
  readonly grants: readonly HubTokenGrant[]
  /** For an `admin` token: the verb groups it is limited to, if it is. */
  readonly verbGroups?: readonly string[]
  readonly expiresAt?: UnixSeconds
  readonly revokedAt?: UnixSeconds
}

/** A caller whose hub token and account are valid now. */
export interface Caller {
  readonly accountId: string
  readonly accountName: string
  readonly administrator: boolean
  readonly hubTokenId: string
  readonly kind: HubTokenKind | 'anonymous'
  readonly grants: readonly HubTokenGrant[]
  readonly verbGroups?: readonly string[]
  readonly expiresAt?: UnixSeconds
}

export const anonymous: Caller = {
  accountId: 'anonymous',
  accountName: 'anonymous',
  administrator: false,
  hubTokenId: 'anonymous',
  kind: 'anonymous',
  grants: [],
}
