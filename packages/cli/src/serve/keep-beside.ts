/** Keeps the storage of a hub running beside it. */

import type { RunningHub } from '@latchkey/hub'
import type { Companion } from '@latchkey/service/http/operations-routes'
import type { DrainedLines } from '@latchkey/service/observe/line-writer'
import { createLog } from '@latchkey/service/observe/log'
import type { StorageSettings } from '@latchkey/storage'
import { type KeptStorage, keepStorage } from './keep-storage.ts'
import { localUrl } from './local-url.ts'
import { levelOf } from './log-events.ts'
import type { StorageOrder } from './messages.ts'
import { launchStorage } from './storage-process.ts'
import { systemTimers } from './timers.ts'

export function keepBeside(
  { url, embedded: { credential } }: Pick<RunningHub, 'url' | 'embedded'>,
  settings: StorageSettings,
  lines: DrainedLines,
): Promise<KeptStorage> {
  // Both are on this machine, whatever its address is.
  const hub = { hubUrl: localUrl(url), allowPlainHttp: true }
  const order: StorageOrder = { settings, ...hub, credential }
  return keepStorage({
    launch: (port = settings.port) =>
      launchStorage({ ...order, settings: { ...settings, port } }, lines),
    log: createLog({ levelOf, level: settings.log.level, write: lines.write }),
    timers: systemTimers,
  })
}

/** The hub is watched before its storage has started. */
export function inPlaceOf(find: () => Companion | undefined): Companion {
  return {
    isReady: async () => (await find()?.isReady()) ?? false,
    metricsText: async () => (await find()?.metricsText()) ?? '',
  }
}
