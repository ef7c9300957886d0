/** Before maintenance removes anything: what the hub has removed is applied, and what the hub has not been told is told. */

import { HubLinkError } from '@latchkey/gate/hub-link'
import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { readLinkState } from '../catalog/link-state.ts'
import { sweepPlaces } from '../catalog/removed-places.ts'
import { applyAnswer } from '../following/apply-answer.ts'
import { deliverEpochs } from '../following/deliver-epochs.ts'
import type { Maintenance } from './maintenance.ts'

/**
 * Rejects with `HubLinkError` when the hub cannot be asked. Refuses when the hub does not have the journal that the storage
 * has followed: it may be another hub, which would take the epochs and lose them.
 */
export async function catchUp({
  database,
  link,
  clock,
}: Maintenance): Promise<Refusal | undefined> {
  for (let isComplete = false; !isComplete; ) {
    const { applied } = await database.read(readLinkState)
    const answer = await link.changes(applied === undefined ? {} : { after: applied })
    if (answer.kind === 'unknown cursor') {
      const now = await database.read(readLinkState)
      // Otherwise a running storage has gone on from another number meanwhile.
      if (now.applied === applied) return otherJournal
      continue
    }
    await applyAnswer(database, answer, clock)
    isComplete = answer.isComplete
  }
  await deliverEpochs(database, link)
  await sweepPlaces(database)
  return undefined
}

/** For a command that only looks: says in one sentence why what it shows may not be what the hub has now. */
export async function tryToCatchUp(maintenance: Maintenance): Promise<string | undefined> {
  try {
    const behind = await catchUp(maintenance)
    return isRefusal(behind) ? behind.detail : await missedRemovals(maintenance)
  } catch (error) {
    if (!(error instanceof HubLinkError)) throw error
    return `Content that was deleted at the hub recently is still counted here, because the hub could not be reached: ${error.message}.`
  }
}

/** One sentence, when removals may have been missed and `reconcile` has not removed them since. */
export async function missedRemovals({ database }: Maintenance): Promise<string | undefined> {
  const { lostAt } = await database.read(readLinkState)
  if (lostAt === undefined) return undefined
  const since = new Date(lostAt * 1000).toISOString()
  return `The storage may have missed what was deleted at the hub before ${since}: run "latchkey storage reconcile".`
}

const otherJournal = refuse(
  'cursor_unknown',
  'The hub does not have the journal that this storage has followed: the hub was restored, its journal was pruned, or it is another hub. Nothing was removed. Check that it is the right one, then run "latchkey storage reconcile".',
)
