/** One answer of the hub, applied to the catalog in one transaction: tombstones first, then the numbers. */

import type { HubChanges, UnknownCursor } from '@latchkey/gate/hub-link'
import type { Clock } from '@latchkey/protocol'
import type { CatalogDatabase } from '../catalog/catalog-database.ts'
import { beginAnew, raiseApplied, readLinkState, setQuotasAfter } from '../catalog/link-state.ts'
import { hold } from '../catalog/locks.ts'
import { writeQuotas } from '../catalog/quota-states.ts'
import { addTombstones } from '../catalog/removed-places.ts'

/**
 * Answers may be applied in any order and more than once. An unknown cursor removes nothing: the storage asks
 * anew, and remembers that it may have missed removals.
 */
export async function applyAnswer(
  database: CatalogDatabase,
  answer: HubChanges | UnknownCursor,
  clock: Clock,
): Promise<void> {
  // Between two changes of the directory a write costs no transaction more.
  const { applied } = await database.read(readLinkState)
  if (answer.kind === 'changes' && answer.number === applied) return
  await database.change(async (tables) => {
    await hold(tables, { link: 'alone' })
    if (answer.kind === 'unknown cursor') return beginAnew(tables, answer.number, clock())
    await addTombstones(tables, answer.removed, clock())
    if (answer.quotas !== undefined) await writeQuotas(tables, answer.quotas)
    // The first answer: which quotas there are, only the hub knows.
    const state = await readLinkState(tables)
    if (state.applied === undefined) await setQuotasAfter(tables, '')
    return raiseApplied(tables, answer.number)
  })
}
