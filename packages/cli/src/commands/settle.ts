/** The settings of hub and storage with the ports that they get. */

import type { HubSettings } from '@latchkey/hub'
import { freePort } from '@latchkey/service/http/free-port'
import type { StorageSettings } from '@latchkey/storage'
import { urlOf } from '../configuration/addresses.ts'
import { defaultCasUrl, hubSettings } from '../configuration/hub-settings.ts'
import type { Configuration } from '../configuration/read-configuration.ts'
import { storageSettings } from '../configuration/storage-settings.ts'
import { unavailable } from '../output/stop.ts'

export interface Settled {
  readonly hub: HubSettings
  readonly storage: StorageSettings | undefined
}

/** Tokens name the addresses of both, so free ports are chosen before they start, unless something else is named. `before` is what was chosen when they did. */
export async function settle(configuration: Configuration, before?: Settled): Promise<Settled> {
  const given = hubSettings(configuration)
  const beside = storageSettings(configuration, given)
  const { host } = given
  const { publicUrl, casUrl } = configuration.values
  const choose = (port: number, url: string | undefined, chosen: number | undefined) =>
    port === 0 && url === undefined ? (chosen ?? anyPort(host)) : port
  const port = await choose(given.port, publicUrl, before?.hub.port)
  const hub = { ...given, port, publicUrl: publicUrl ?? urlOf(host, port) }
  if (beside === undefined) return { hub, storage: undefined }
  const storagePort = await choose(beside.port, casUrl, before?.storage?.port)
  const where = { casUrl: casUrl ?? defaultCasUrl(host, storagePort) }
  const storage = { ...beside, ...where, port: storagePort, issuer: hub.publicUrl }
  return { hub: { ...hub, ...where }, storage }
}

async function anyPort(host: string): Promise<number> {
  const port = await freePort(host)
  if (port === undefined)
    throw unavailable(`nothing can listen on ${host}: choose another with --host`)
  return port
}
