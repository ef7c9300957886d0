/** Under which name a storage acts: in the journal, and where hub tokens are counted. */

import { embeddedHubTokenId, type HubTokenId } from '@latchkey/protocol'
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
