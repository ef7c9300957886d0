/** Starts a hub, and its storage in a process of its own. */

import { type HubSettings, type RunningHub, startHub } from '@latchkey/hub'
import { type DrainedLines, standardOutput } from '@latchkey/service/line-writer'
import { createLog } from '@latchkey/service/log'
import type { Port } from '@latchkey/service/open-port'
import type { Companion } from '@latchkey/service/operations-routes'
import type { StorageSettings } from '@latchkey/storage'
import { type KeptStorage, keepStorage } from './keep-storage.ts'
import { localUrl } from './local-url.ts'
import { levelOf } from './log-events.ts'
import type { StorageOrder } from './messages.ts'
import { operationsPort, refuseTakenPorts } from './refuse-taken-ports.ts'
import { launchStorage } from './storage-process.ts'
import { systemTimers } from './timers.ts'

export interface Running {
  readonly hub: Pick<RunningHub, 'url'>
  readonly storage: { readonly url: string } | undefined
  /** The storage first: it asks the hub until its last request is done. */
  stop(): Promise<void>
}

export async function startBoth(
  settings: HubSettings,
  storage: StorageSettings | undefined,
): Promise<Running> {
  await refuseTakenPorts(settings.data, portsOf(settings, storage))
  const lines = standardOutput()
  if (storage === undefined) {
    const hub = await startHub(settings, { lines })
    return { hub, storage, stop: hub.stop }
  }
  let kept: KeptStorage | undefined
  const hub = await startHub(settings, { lines, companions: { storage: inPlaceOf(() => kept) } })
  try {
    const beside = await keepBeside(hub, storage, lines)
    kept = beside
    const stop = async () => {
      await beside.stop()
      await hub.stop()
    }
    return { hub, storage: beside, stop }
  } catch (error) {
    await hub.stop()
    throw error
  }
}

function portsOf(settings: HubSettings, storage: StorageSettings | undefined): readonly Port[] {
  const ports = [settings, ...operationsPort(settings)]
  return storage === undefined ? ports : [...ports, { portFlag: '--storage-port', ...storage }]
}

function keepBeside(
  { url, embedded: { credential } }: RunningHub,
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
function inPlaceOf(find: () => Companion | undefined): Companion {
  return {
    isReady: async () => (await find()?.isReady()) ?? false,
    metricsText: async () => (await find()?.metricsText()) ?? '',
  }
}
