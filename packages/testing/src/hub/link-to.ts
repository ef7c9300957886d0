/** The link of a storage in this process to the hub of a world. */

import { readKeySet } from '@latchkey/gate'
import type { HubLink } from '@latchkey/gate/hub-link'
import type { RunningHub, Store } from '@latchkey/hub'
import { storeLink } from './store-link.ts'

export async function linkTo({
  hub,
  store,
}: {
  readonly hub: RunningHub
  readonly store: Store
}): Promise<HubLink> {
  const keys = await readKeySet(hub.beside.jwks)
  return { ...storeLink(store), keys: { known: () => keys, refresh: async () => {} } }
}
