/** Remembers which account a hub token belongs to, for a request that has not been authenticated yet. */

import type { AccountId } from '@latchkey/protocol'
import { GrowingCache } from '@latchkey/service/limits/cache'
import type { Caller } from '../identity/caller.ts'

/** It says only whose turn a request takes: a hub token that was revoked since is still refused. */
export interface KnownAccounts {
  of(hubTokenHash: string): AccountId | undefined
  /** Whether it is of a storage or a forge. */
  isOfService(hubTokenHash: string): boolean
  /** The hub token was valid just now. */
  learn(hubTokenHash: string, caller: Pick<Caller, 'accountId' | 'kind'>): void
  forget(hubTokenHash: string): void
}

const maxKnown = 20_000
/** Apart from the others, which are many and would push them out. */
const maxServices = 1000

export function knownAccounts(): KnownAccounts {
  const accounts = new GrowingCache<string, AccountId>({ most: maxKnown })
  const services = new GrowingCache<string, true>({ most: maxServices })
  return {
    of: (hash) => accounts.get(hash),
    isOfService: (hash) => services.get(hash) === true,
    learn(hash, { accountId, kind }) {
      accounts.set(hash, accountId)
      if (kind === 'storage' || kind === 'forge') services.set(hash, true)
    },
    forget(hash) {
      accounts.delete(hash)
      services.delete(hash)
    },
  }
}
