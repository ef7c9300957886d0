/** Under which name a storage or a forge acts: in the journal, and where hub tokens are counted. */

import {
  defaultStorage,
  embeddedHubTokenId,
  type HubTokenId,
  type StorageName,
} from '@latchkey/protocol'
import type { Origin } from '../tables/change.ts'
import type { LinkIdentity } from './identify-link.ts'

export interface LinkCaller {
  readonly caller: LinkIdentity
  readonly user: string
  readonly requestId: string
}

export function linkOrigin(caller: LinkCaller): Origin {
  return { verb: 'link raise-epoch', ...serviceOrigin(caller) }
}

export function serviceOrigin({ caller, user, requestId }: LinkCaller): Omit<Origin, 'verb'> {
  return { ...(caller === 'embedded' ? { user } : { actor: caller }), requestId }
}

export function hubTokenIdOf(caller: LinkIdentity): HubTokenId {
  return caller === 'embedded' ? embeddedHubTokenId : caller.hubTokenId
}

/** Security boundary: everything that the link shows or changes is of this storage. */
export function storageOf(caller: LinkIdentity): StorageName {
  return caller === 'embedded' ? defaultStorage : (caller.storage ?? defaultStorage)
}
