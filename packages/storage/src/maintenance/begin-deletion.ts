/** Before a command deletes objects: they are those of this catalogue, and what the hub has removed is applied. */

import { type Refusal, refuse } from '@latchkey/protocol'
import { whatToDo } from '../identity/find-mismatch.ts'
import type { StoreIdentity } from '../identity/store-identity.ts'
import { catchUp } from './catch-up.ts'
import type { Maintenance } from './maintenance.ts'

/** Rejects with `HubLinkError` when the hub cannot be asked. */
export async function beginDeletion(maintenance: Maintenance): Promise<Refusal | undefined> {
  const mismatch = await maintenance.identity.beginCollection()
  if (mismatch === undefined) return catchUp(maintenance)
  return refuse('not_ready', `${mismatch} Nothing was deleted. ${whatToDo}`)
}

/** Between two groups: another copy of the catalogue may have got the store meanwhile. */
export async function mayGoOn(
  identity: Pick<StoreIdentity, 'check'>,
): Promise<Refusal | undefined> {
  const mismatch = await identity.check()
  return mismatch === undefined
    ? undefined
    : refuse('not_ready', `${mismatch} The rest was not deleted. ${whatToDo}`)
}
