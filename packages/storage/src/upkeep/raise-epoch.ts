/** Clients remember by address what they believe to be stored, so it becomes another, and never one again. */

import { type RawBuilder, sql } from 'kysely'
import type { StorageTables } from '../catalog/schema.ts'

/** Collection raises epochs more than once a second, so that they run ahead of the clock: not as far as this. */
const farthestAheadSeconds = 3600

export async function raiseEpoch(tables: StorageTables, repositoryUid: string): Promise<void> {
  await tables
    .updateTable('repositories')
    .set({ epoch: beyond(0) })
    .where('uid', '=', repositoryUid)
    .execute()
}

/** Above all that was ever given out, though the database be an old copy; gives how many there are. */
export async function raiseAbove(
  tables: StorageTables,
  repositoryUid: string | undefined,
): Promise<number> {
  const raising = tables.updateTable('repositories').set({ epoch: beyond(farthestAheadSeconds) })
  const { numUpdatedRows } = await raising
    .$if(repositoryUid !== undefined, (one) => one.where('uid', '=', repositoryUid ?? ''))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** By the clock of the database, as its own triggers do it: a mere counter would begin anew in an old copy. */
function beyond(aheadSeconds: number): RawBuilder<number> {
  return sql<number>`max(epoch + 1, unixepoch() + ${aheadSeconds})`
}
