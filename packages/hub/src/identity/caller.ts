/** Who asks: an account and the hub token that speaks for it. */

import type { UnixSeconds } from '@latchkey/protocol'

export const accountKinds = ['user', 'service'] as const
export type AccountKind = (typeof accountKinds)[number]

export const hubTokenKinds = ['read', 'write', 'fine-grained', 'admin'] as const
export type HubTokenKind = (typeof hubTokenKinds)[number]

/** One line of a fine-grained hub token. */
export interface Grant {
  /** `models/acme/bert`, `acme/*` or `*`. */
  readonly on: string
  /** Write includes read. */
  readonly contents: 'read' | 'write'
  /** Ref patterns; without them, every ref. */
  readonly refs?: readonly string[]
}

/** A hub token and its account, as the directory holds them. */
export interface CallerRecord {
  readonly accountId: string
  readonly accountName: string
  readonly accountDisabled: boolean
  readonly administrator: boolean
  readonly hubTokenId: string
  readonly kind: HubTokenKind
  readonly grants: readonly Grant[]
  /** For an `admin` token: the verb groups it is limited to, if it is. */
  readonly verbGroups?: readonly string[]
  readonly expiresAt?: UnixSeconds
  readonly revokedAt?: UnixSeconds
}

/** A caller that may act now; `undefined` members of the record have been judged. */
export interface Caller {
  readonly accountId: string
  readonly accountName: string
  readonly administrator: boolean
  readonly hubTokenId: string
  readonly kind: HubTokenKind | 'anonymous'
  readonly grants: readonly Grant[]
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
