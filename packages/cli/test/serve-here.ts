/** Hubs, storages and gates in the process of the test, for clients that do not care where they run: a process of its own takes most of its time to load. */

import { startGateway } from '@latchkey/gate/gateway'
import { httpHubLink } from '@latchkey/gate/hub-link'
import { startHub } from '@latchkey/hub'
import { systemClock } from '@latchkey/service/system-clock'
import { startStorage } from '@latchkey/storage'
import { settle } from '../src/commands/settle.ts'
import { gateSettings } from '../src/configuration/gate-settings.ts'
import { forgeSettings } from '../src/configuration/hub-settings.ts'
import { type Flags, readConfiguration } from '../src/configuration/read-configuration.ts'
import { forgeBeside } from '../src/serve/forge-beside.ts'

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

/** Without a storage, on a data directory that is there. */
export async function hubHere(data: string, flags: Flags = {}): Promise<Here> {
  const configuration = readConfiguration({ data, port: '0', ...flags }, {})
  const { hub } = await settle(configuration)
  const bounds = forgeSettings(configuration.values)
  return startHub(hub, { lines, ...(bounds && { openForge: forgeBeside(hub, bounds).open }) })
}

/** A hub and its storage; the address is that of the hub. */
export async function bothHere(
  data: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Both> {
  const given = { data, port: '0', storagePort: '0' }
  // Secrets leave the environment as they are read.
  const configuration = readConfiguration(given, { ...environment })
  const { hub: settings, storage: beside } = await settle(configuration)
  if (beside === undefined) throw new Error('these settings have no storage')
  const hub = await startHub(settings, { lines })
  const { credential } = hub.embedded
  const { publicUrl: issuer } = settings
  const link = httpHubLink({ hubUrl: hub.url, issuer, credential, clock: systemClock })
  const storage = await startStorage(beside, { link }, { lines })
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

export function gateHere(flags: Flags): Promise<Here> {
  return startGateway(gateSettings(readConfiguration(flags, {})), { lines })
}
