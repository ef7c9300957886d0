/** Starts a hub, and its storage in a process of its own. */

import { type HubSettings, type RunningHub, startHub } from '@latchkey/hub'
import { standardOutput } from '@latchkey/service/line-writer'
import type { StorageSettings } from '@latchkey/storage'
import { collectAtRest } from './collect-at-rest.ts'
import { inPlaceOf, keepBeside } from './keep-beside.ts'
import type { KeptStorage } from './keep-storage.ts'
import { portsOf, refuseTakenPorts } from './refuse-taken-ports.ts'

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
  collectAtRest()
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
