/** Starts a storage that follows its hub over HTTP. */

import { httpHubLink, keyFailure } from '@latchkey/gate/hub-link'
import { storageAddress } from '@latchkey/protocol'
import { systemClock } from '@latchkey/service/machine/time'
import { standardOutput } from '@latchkey/service/observe/line-writer'
import { createLog } from '@latchkey/service/observe/log'
import {
  openKeptRevocations,
  type RunningStorage,
  type StorageSurroundings,
  startStorage,
} from '@latchkey/storage'
import { levelOf, type StorageLog } from '@latchkey/storage/log-events'
import type { StorageOrder } from './storage-messages.ts'

export async function startLinkedStorage(
  order: StorageOrder,
  overrides: Partial<StorageSurroundings> = {},
): Promise<RunningStorage> {
  const { settings, ...hub } = order
  const { lines = standardOutput() } = overrides
  const log: StorageLog = createLog({ levelOf, level: settings.log.level, write: lines.write })
  const keeper = await openKeptRevocations(settings.objects, systemClock)
  const link = httpHubLink({
    ...hub,
    clock: systemClock,
    audience: storageAddress(settings.casUrl).audience,
    issuer: settings.issuer,
    leewaySeconds: settings.leewaySeconds,
    ...(settings.revocations && { pollSeconds: settings.revocations.pollSeconds }),
    onKeyFailure: (error) => log('keys_not_fetched', keyFailure(error)),
    onRevocationFailure: (error) => log('revocations_not_fetched', keyFailure(error)),
    ...(keeper && { keeper: { keep: keeper.keep } }),
  })
  try {
    const storage = await startStorage(settings, { link }, { ...overrides, lines })
    return { ...storage, stop: () => storage.stop().finally(() => keeper?.close()) }
  } catch (error) {
    await keeper?.close()
    throw error
  }
}
