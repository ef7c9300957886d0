/** Remembers which account a hub token belongs to, for a request that has not been authenticated yet. */

import type { AccountId } from '@latchkey/protocol'
import { GrowingCache } from '@latchkey/service/growing-cache'

/** It says only whose turn a request takes: a hub token that was revoked since is still refused. */
export interface KnownAccounts {
  of(hubTokenHash: string): AccountId | undefined
  /** The hub token was valid just now. */
  learn(hubTokenHash: string, account: AccountId): void
  forget(hubTokenHash: string): void
}

const maxKnown = 20_000

export function knownAccounts(): KnownAccounts {
  const accounts = new GrowingCache<string, AccountId>({ most: maxKnown })
  return {
    of: (hash) => accounts.get(hash),
    learn: (hash, account) => accounts.set(hash, account),
    forget: (hash) => accounts.delete(hash),
  }
}
