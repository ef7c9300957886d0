/** The caller of a request: an account, identified by one of its hub tokens. */

import {
  type AccountId,
  anonymousAccountId,
  anonymousHubTokenId,
  type HubTokenGrant,
  type HubTokenId,
  type HubTokenKind,
  type HubTokenOrigin,
  type StorageName,
  type UnixSeconds,
} from '@latchkey/protocol'

/** A hub token and its account, as the directory holds them. */
export interface CallerRecord {
  readonly accountId: AccountId
  readonly accountName: string
  readonly accountDisabled: boolean
  readonly administrator: boolean
  readonly hubTokenId: HubTokenId
  readonly kind: HubTokenKind
  readonly origin: HubTokenOrigin
  readonly grants: readonly HubTokenGrant[]
  /** For an `admin` token: the verb groups it is limited to, if it is. */
  readonly adminScopes?: readonly string[]
  /** For an `admin` token of a delegated administrator: the namespaces that it manages. */
  readonly namespaces?: readonly string[]
  /** For a `storage` token: the storage whose link it opens. */
  readonly storage?: StorageName
  readonly expiresAt?: UnixSeconds
  readonly revokedAt?: UnixSeconds
}

/** A caller whose hub token and account are valid now. */
export interface Caller {
  readonly accountId: AccountId
  readonly accountName: string
  readonly administrator: boolean
  readonly hubTokenId: HubTokenId
  readonly kind: HubTokenKind | 'anonymous'
  /** Undefined for a caller without a hub token. */
  readonly origin?: HubTokenOrigin
  readonly grants: readonly HubTokenGrant[]
  readonly adminScopes?: readonly string[]
  /** For an `admin` token of a delegated administrator: the namespaces that it manages. */
  readonly namespaces?: readonly string[]
  readonly storage?: StorageName
  readonly expiresAt?: UnixSeconds
}

export const anonymous: Caller = {
  accountId: anonymousAccountId,
  accountName: 'anonymous',
  administrator: false,
  hubTokenId: anonymousHubTokenId,
  kind: 'anonymous',
  grants: [],
}
