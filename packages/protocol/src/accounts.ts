/** Kinds of accounts and hub tokens, and what a fine-grained hub token carries. */

export const accountKinds = ['user', 'service'] as const
export type AccountKind = (typeof accountKinds)[number]

export const hubTokenKinds = ['read', 'write', 'fine-grained', 'admin', 'storage'] as const
export type HubTokenKind = (typeof hubTokenKinds)[number]

/** One line of a fine-grained hub token. */
export interface HubTokenGrant {
  /** `models/acme/bert`, `acme/*` or `*`. */
  readonly on: string
  /** Write includes read. */
  readonly contents: 'read' | 'write'
  /** Ref patterns; without them, every ref. */
  readonly refs?: readonly string[]
}
