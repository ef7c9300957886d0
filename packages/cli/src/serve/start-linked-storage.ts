/** Starts a storage that follows its hub over HTTP. */

import { httpHubLink } from '@latchkey/gate/hub-link'
import { systemClock } from '@latchkey/service/system-clock'
import { type RunningStorage, startStorage } from '@latchkey/storage'
import type { StorageOrder } from './messages.ts'

export async function startLinkedStorage(order: StorageOrder): Promise<RunningStorage> {
  const { settings, hubUrl, credential, blobUrlKey } = order
  const link = httpHubLink({ hubUrl, credential, clock: systemClock, allowPlainHttp: true })
  return startStorage(settings, { link, blobUrlKey })
}
