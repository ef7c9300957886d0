/** Starts a hub, and its storage in a process of its own. */

import { type HubSettings, type RunningHub, startHub } from '@latchkey/hub'
import { standardOutput } from '@latchkey/service/observe/line-writer'
import type { StorageSettings } from '@latchkey/storage'
import type { ForgeSettings } from '../configuration/hub-settings.ts'
import { collectAtRest } from './collect-at-rest.ts'
import { forgeBeside } from './forge-beside.ts'
import { inPlaceOf, keepBeside } from './keep-beside.ts'
import type { KeptStorage } from './keep-storage.ts'
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
  const openForge = beside?.open
  if (storage === undefined) {
    const hub = await startHub(settings, { lines, openForge })
    return { hub, storage, stop: hub.stop, servesRepositories: beside?.isServing() ?? false }
  }
  let kept: KeptStorage | undefined
  const companions = { storage: inPlaceOf(() => kept) }
  const hub = await startHub(settings, { lines, companions, openForge })
  try {
    kept = await keepBeside(hub, storage, lines)
    const running = kept
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
