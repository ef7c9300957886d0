/** Hubs, storages and gates in the process of the test, for clients that do not care where they run: a process of its own takes most of its time to load. */

import { type RunningForge, startForge } from '@latchkey/forge'
import { startGateway } from '@latchkey/gateway'
import { type HubSettings, type RunningHub, startHub } from '@latchkey/hub'
import type { StorageSettings } from '@latchkey/storage'
import { rounds } from '@latchkey/testing/chance'
import { workHere } from '@latchkey/testing/machine/work-here'
import { settle } from '../src/commands/serve.ts'
import { forgeBeside, linkedForge } from '../src/configuration/forge-settings.ts'
import { gateSettings } from '../src/configuration/gate-settings.ts'
import { type LinkedStorage, linkedStorage } from '../src/configuration/linked-storage-settings.ts'
import {
  type Configuration,
  type Flags,
  readConfiguration,
} from '../src/configuration/read-configuration.ts'
import { prepareForgeData, prepareOwnData } from '../src/serve/own-data.ts'
import { startLinkedStorage } from '../src/serve/start-linked-storage.ts'

export interface Here {
  readonly url: string
  stop(): Promise<void>
}

export interface Both extends Here {
  readonly storageUrl: string
  /** Whether the storage is. */
  isReady(): Promise<boolean>
}

/** The tests read no logs of these servers. */
const lines = { write() {}, async close() {} }
const aroundStorage = { lines, ...(rounds(0, 1) === 0 && { openPool: workHere }) }

/** Without a storage, on a data directory that is there. */
export async function hubHere(
  data: string,
  flags: Flags = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<Here> {
  // Secrets leave the environment as they are read.
  const configuration = readConfiguration({ data, port: '0', ...flags }, { ...environment })
  const { hub } = await settle(configuration)
  return startHubHere(configuration, hub)
}

/** With a forge where the settings ask for one. */
async function startHubHere(
  configuration: Configuration,
  settings: HubSettings,
): Promise<Pick<RunningHub, 'url' | 'embedded' | 'stop'>> {
  const beside = forgeBeside(configuration, settings)
  if (beside === undefined) return startHub(settings, { lines })
  let forge: RunningForge | undefined
  const hub = await startHub(settings, { lines, forge: { url: () => forge?.url } })
  const place = { hubUrl: hub.url, credential: hub.embedded.forge, allowPlainHttp: true }
  const starting = startForge({ ...beside.settings, hub: place }, { lines })
  forge = await starting.catch(async (error) => {
    await hub.stop()
    throw error
  })
  const stop = () => Promise.resolve(forge?.stop()).then(hub.stop)
  return { ...hub, stop }
}

/** A hub and its storage; the address is that of the hub. */
export async function bothHere(
  data: string,
  environment: Readonly<Record<string, string>> = {},
  flags: Flags = {},
): Promise<Both> {
  const given = { data, port: '0', storagePort: '0', ...flags }
  // Secrets leave the environment as they are read.
  const configuration = readConfiguration(given, { ...environment })
  const { hub: settings, storage: beside } = await settle(configuration)
  if (beside === undefined) throw new Error('these settings have no storage')
  const hub = await startHubHere(configuration, settings)
  const { credential } = hub.embedded
  const storage = await startFor({ hubUrl: hub.url, credential, allowPlainHttp: false }, beside)
  return {
    url: hub.url,
    storageUrl: storage.url,
    isReady: () => storage.isReady(),
    async stop() {
      await storage.stop()
      await hub.stop()
    },
  }
}

/** One that runs alone, on a data directory of its own. */
export async function storageHere(
  flags: Flags,
  environment: Readonly<Record<string, string>>,
): Promise<Here> {
  const { settings, ...hub } = linkedStorage(readConfiguration(flags, { ...environment }))
  prepareOwnData(settings.data)
  return startFor(hub, settings)
}

function startFor(hub: Omit<LinkedStorage, 'settings'>, settings: StorageSettings) {
  return startLinkedStorage({ settings, ...hub }, aroundStorage)
}

export function gateHere(flags: Flags): Promise<Here> {
  return startGateway(gateSettings(readConfiguration(flags, {})), { lines })
}

/** A forge that runs alone, on a data directory of its own. */
export function forgeHere(
  flags: Flags,
  environment: Readonly<Record<string, string>>,
): Promise<RunningForge> {
  const { settings } = linkedForge(readConfiguration(flags, { ...environment }))
  prepareForgeData(settings.data)
  return startForge(settings, { lines })
}
