/** Gives repositories addresses that they never had, so that no client relies on what it remembers. */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import type { HubSide } from './hub-side.ts'
import { findRepository, type WantedRepository } from './repository-names.ts'

/** One repository, or all of the hub; gives how many. One that lost everything has no rows here any more. */
export async function resetUrls(
  hub: HubSide,
  repository?: WantedRepository,
): Promise<number | Refusal> {
  if (repository === undefined) return hub.link.raiseAllEpochs?.() ?? onlyAtTheHub
  const found = await findRepository(hub, repository)
  if (isRefusal(found)) return found
  if (found.isUnknown) return notAtTheHub(found.uid)
  await hub.link.raiseEpochs([found.uid])
  return 1
}

const onlyAtTheHub = refuse(
  'bad_request',
  "Only the hub's database says which repositories there are. Run this in the hub's data directory, or name one repository by its uid.",
)

function notAtTheHub(uid: string): Refusal {
  return refuse('resource_not_found', `The hub has no repository with the uid ${uid}.`)
}
