/** The hub as maintenance commands meet it: its own database in the data directory, or over HTTP. */

import { HubLinkError, httpHubLink } from '@latchkey/gate/hub-link'
import { hasStore, repositoryNames, storeLink } from '@latchkey/hub/management'
import { machineUser } from '@latchkey/service/machine/data-directory'
import { systemClock } from '@latchkey/service/machine/time'
import type { HubSide, MaintenanceLink } from '@latchkey/storage/maintenance'
import { refusePlainHttp } from '../configuration/addresses.ts'
import { storeSettings } from '../configuration/hub-settings.ts'
import type { Configuration } from '../configuration/read-configuration.ts'
import { trustCaCert } from '../configuration/trust-ca-cert.ts'
import { unavailable, wrongUsage } from '../output/stop.ts'
import { openLocalStore } from './local-store.ts'
import { hasContent, maintenanceData } from './maintenance-data.ts'

interface OpenHubSide extends HubSide {
  close(): Promise<void>
}

/** Whether the data directory is that of a storage whose hub is somewhere else. */
export function isStorageAlone(configuration: Configuration): boolean {
  const { values, called } = configuration
  const data = maintenanceData(configuration)
  const settings = { ...storeSettings(values), data }
  return hasContent(configuration, data) && !called.has('database') && !hasStore(settings)
}

/** Says so where there is nothing to work on, whichever of the two the command was meant for. */
export function refuseEmptyData(configuration: Configuration, data: string): void {
  const { values, called } = configuration
  const settings = { ...storeSettings(values), data }
  if (hasContent(configuration, data) || called.has('database') || hasStore(settings)) return
  throw unavailable(
    `there is no database in ${data}, neither of a hub nor of a storage. Name the data directory of the hub or of the storage with --data.`,
  )
}

export async function openHubSide(
  configuration: Configuration,
  verb: string,
): Promise<OpenHubSide> {
  const { values, called } = configuration
  const data = maintenanceData(configuration)
  if (isStorageAlone(configuration))
    return { link: linkOf(configuration, data), names: undefined, close: async () => {} }
  refuseEmptyData(configuration, data)
  const settings = { ...storeSettings(values), data }
  // The variable may be there for the client commands.
  if (called.get('hub') === '--hub') throw hubIsHere(data)
  const store = await openLocalStore(settings, { create: false })
  const origin = { verb, user: machineUser() }
  return { link: storeLink(store, origin), names: repositoryNames(store), close: store.close }
}

/** Without a hub, commands that only look work all the same. */
function linkOf(configuration: Configuration, data: string): MaintenanceLink {
  const { values, called } = configuration
  const { hub: hubUrl, storageCredential: credential, allowPlainHttp } = values
  const name = called.get('hub')
  if (hubUrl === undefined || (credential === undefined && name !== '--hub')) {
    return absentLink(data)
  }
  refusePlainHttp({ url: hubUrl, called: name ?? '--hub', allowPlainHttp })
  if (credential === undefined) throw noCredential
  trustCaCert(configuration)
  return httpHubLink({ hubUrl, credential, allowPlainHttp, clock: systemClock })
}

export function absentLink(data: string): MaintenanceLink {
  const fail = async () => {
    throw new HubLinkError(
      `the hub's database is not in ${data}, and no --hub is given with a credential: run this where that database is, or with --hub URL and the storage's credential`,
    )
  }
  return { changes: fail, raiseEpochs: fail, findUnknown: fail }
}

/** Does the work, and says what to do when the hub was needed and could not be asked. */
export async function withHubSide<Result>(
  hub: OpenHubSide,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof HubLinkError ? hubNeeded(error) : error
  } finally {
    await hub.close()
  }
}

/** The outbox has deletions from the time when the hub was unavailable. */
function hubNeeded({ message }: HubLinkError) {
  return unavailable(`${message}. This command needs the hub. No data is lost: run it again later.`)
}

function hubIsHere(data: string) {
  return wrongUsage(
    `--hub: the database of a hub is in ${data}, and its storage belongs to that hub; leave --hub out, or name the storage's own data directory with --data`,
  )
}

const noCredential = wrongUsage(
  "--hub needs the storage's credential in LATCHKEY_STORAGE_CREDENTIAL, or in the file that LATCHKEY_STORAGE_CREDENTIAL_FILE names",
)
