/** Under which name a storage acts: in the journal, and where hub tokens are counted. */

import { embeddedHubTokenId, type HubTokenId } from '@latchkey/protocol'
import type { Origin } from '../directory/port/change.ts'
import type { StorageCaller } from './identify-storage.ts'

export function linkOrigin({
  caller,
  user,
  requestId,
}: {
  readonly caller: StorageCaller
  readonly user: string
  readonly requestId: string
}): Origin {
  const who = caller === 'embedded' ? { user } : { actor: caller }
  return { verb: 'link raise-epoch', ...who, requestId }
}

export function hubTokenIdOf(caller: StorageCaller): HubTokenId {
  return caller === 'embedded' ? embeddedHubTokenId : caller.hubTokenId
}
