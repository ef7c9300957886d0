/** The hub as upkeep commands meet it: its own database where that lies in the data directory. */

import { LinkFailure } from '@latchkey/gate/hub-link'
import { hasStore, repositoryNames, storeLink } from '@latchkey/hub/management'
import { machineUser } from '@latchkey/service/machine-user'
import { type HubSide, hasCatalog, type UpkeepLink } from '@latchkey/storage/upkeep'
import { storeSettings } from '../configuration/hub-settings.ts'
import type { Configuration } from '../configuration/read-configuration.ts'
import { unavailable } from '../output/stop.ts'
import { openLocalStore } from './local-store.ts'

export interface OpenHubSide extends HubSide {
  close(): void
}

/** A storage on a machine of its own has no hub beside it: some commands then look at the content alone. */
export async function openHubSide(
  { values, called }: Configuration,
  verb: string,
): Promise<OpenHubSide> {
  const settings = storeSettings(values)
  const isAlone = hasCatalog(settings.data) && !called.has('database') && !hasStore(settings)
  if (isAlone) return { link: absentLink(settings.data), names: undefined, close() {} }
  const store = await openLocalStore(settings, { create: false })
  const origin = { verb, user: machineUser() }
  return { link: storeLink(store, origin), names: repositoryNames(store), close: store.close }
}

function absentLink(data: string): UpkeepLink {
  const fail = async () => {
    throw new LinkFailure(`its database is not in ${data}`)
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
    throw error instanceof LinkFailure ? hubNeeded(error) : error
  } finally {
    hub.close()
  }
}

/** What was removed before the hub went away is in the outbox. */
function hubNeeded({ message }: LinkFailure) {
  return unavailable(
    `the hub cannot be asked: ${message}. This command needs it, because the hub is told what is gone: run it where the hub's database is. It goes on where this one ended.`,
  )
}
