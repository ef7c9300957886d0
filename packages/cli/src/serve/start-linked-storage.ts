/** Starts a storage that follows its hub over HTTP. */

import { httpHubLink } from '@latchkey/gate/hub-link'
import { systemClock } from '@latchkey/service/system-clock'
import { type RunningStorage, startStorage } from '@latchkey/storage'
import type { StorageOrder } from './messages.ts'

export async function startLinkedStorage(order: StorageOrder): Promise<RunningStorage> {
  const { settings, blobUrlKey, ...hub } = order
  return startStorage(settings, { link: httpHubLink({ ...hub, clock: systemClock }), blobUrlKey })
}
