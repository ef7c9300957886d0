/** Starts a hub, and its storage in a process of its own. */

import { type HubSettings, type RunningHub, startHub } from '@latchkey/hub'
import type { StatusSource } from '@latchkey/service/http/operations-routes'
import { systemTimers } from '@latchkey/service/machine/time'
import { type DrainedLines, standardOutput } from '@latchkey/service/observe/line-writer'
import { createLog } from '@latchkey/service/observe/log'
import type { StorageSettings } from '@latchkey/storage'
import { localUrl } from '../configuration/addresses.ts'
import type { ForgeSettings } from '../configuration/hub-settings.ts'
import { collectAtRest } from './collect-at-rest.ts'
import { forgeBeside } from './forge-beside.ts'
import { type KeptStorage, keepStorage, launchStorage, levelOf } from './keep-storage.ts'
import type { StorageOrder } from './messages.ts'
import { portsOf, refuseTakenPorts } from './refuse-taken-ports.ts'

export interface Running {
  readonly hub: Pick<RunningHub, 'url'>
  readonly storage: { readonly url: string } | undefined
  /** Whether a forge runs beside the hub. */
  readonly servesRepositories?: boolean
  /** The storage first: it asks the hub until its last request is done. */
  stop(): Promise<void>
}

export async function startBoth(
  settings: HubSettings,
  storage: StorageSettings | undefined,
  { forge }: { readonly forge: ForgeSettings | undefined },
): Promise<Running> {
  await refuseTakenPorts(settings.data, portsOf(settings, storage))
  const lines = standardOutput()
  collectAtRest()
  const beside = forge && forgeBeside(settings, forge)
  const attach = beside?.attach
  if (storage === undefined) {
    const hub = await startHub(settings, { lines, attach })
    return { hub, storage, stop: hub.stop, servesRepositories: beside?.isServing() ?? false }
  }
  let keptStorage: KeptStorage | undefined
  const companions = { storage: inPlaceOf(() => keptStorage) }
  const hub = await startHub(settings, { lines, companions, attach })
  try {
    keptStorage = await keepBeside(hub, storage, lines)
    const running = keptStorage
    const stop = async () => {
      await running.stop()
      await hub.stop()
    }
    return { hub, storage: running, stop, servesRepositories: beside?.isServing() ?? false }
  } catch (error) {
    await hub.stop()
    throw error
  }
}

/** Keeps the storage of a hub running beside it. */
function keepBeside(
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
function inPlaceOf(find: () => StatusSource | undefined): StatusSource {
  return {
    isReady: async () => (await find()?.isReady()) ?? false,
    metricsText: async () => (await find()?.metricsText()) ?? '',
  }
}
