/** Starts a hub, and its storage in a process of its own. */

import { type HubSettings, type RunningHub, startHub } from '@latchkey/hub'
import { standardOutput } from '@latchkey/service/line-writer'
import type { StorageSettings } from '@latchkey/storage'
import { collectAtRest } from './collect-at-rest.ts'
import { forgeBeside } from './forge-beside.ts'
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
  { forge }: { readonly forge: boolean },
): Promise<Running> {
  await refuseTakenPorts(settings.data, portsOf(settings, storage))
  const lines = standardOutput()
  collectAtRest()
  const openForge = forge ? forgeBeside(settings) : undefined
  if (storage === undefined) {
    const hub = await startHub(settings, { lines, openForge })
    return { hub, storage, stop: hub.stop }
  }
  let kept: KeptStorage | undefined
  const companions = { storage: inPlaceOf(() => kept) }
  const hub = await startHub(settings, { lines, companions, openForge })
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
