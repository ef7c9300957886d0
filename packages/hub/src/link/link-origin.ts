/** Under which name a storage acts: in the journal, and where hub tokens are counted. */

import {
  defaultStorage,
  embeddedHubTokenId,
  type HubTokenId,
  type StorageName,
} from '@latchkey/protocol'
import type { Origin } from '../tables/change.ts'
import type { StorageCaller } from './identify-storage.ts'

export interface LinkCaller {
  readonly caller: StorageCaller
  readonly user: string
  readonly requestId: string
}

export function linkOrigin(caller: LinkCaller): Origin {
  return { verb: 'link raise-epoch', ...storageOrigin(caller) }
}

export function storageOrigin({ caller, user, requestId }: LinkCaller): Omit<Origin, 'verb'> {
  return { ...(caller === 'embedded' ? { user } : { actor: caller }), requestId }
}

export function hubTokenIdOf(caller: StorageCaller): HubTokenId {
  return caller === 'embedded' ? embeddedHubTokenId : caller.hubTokenId
}

/** Security boundary: everything that the link shows or changes is of this storage. */
export function storageOf(caller: StorageCaller): StorageName {
  return caller === 'embedded' ? defaultStorage : (caller.storage ?? defaultStorage)
}
