/** Clients remember by address what they believe to be stored, so it becomes another, and never one again. */

import { noRepositoryUid, type RepositoryUid } from '@latchkey/protocol'
import { sql } from 'kysely'
import type { UpkeepChange } from './upkeep.ts'

/** Collection raises epochs more than once a second, so that they run ahead of the clock: not as far as this. */
const farthestAheadSeconds = 3600

export async function raiseEpoch(
  change: UpkeepChange,
  repositoryUid: RepositoryUid,
): Promise<void> {
  await raise(change, repositoryUid, 0)
}

/** Above all that was ever given out, though the database be an old copy; gives how many there are. */
export function raiseAbove(
  change: UpkeepChange,
  repositoryUid: RepositoryUid | undefined,
): Promise<number> {
  return raise(change, repositoryUid, farthestAheadSeconds)
}

/** By the clock of the database, as its own triggers do it: a mere counter would begin anew in an old copy. */
async function raise(
  { tables, put }: UpkeepChange,
  repositoryUid: RepositoryUid | undefined,
  aheadSeconds: number,
): Promise<number> {
  const rows = await tables
    .selectFrom('repositories')
    .selectAll()
    .select(sql<number>`max(epoch + 1, unixepoch() + ${aheadSeconds})`.as('raised'))
    .$if(repositoryUid !== undefined, (one) =>
      one.where('uid', '=', repositoryUid ?? noRepositoryUid),
    )
    .execute()
  await put(
    rows.map(({ raised, ...before }) => ({
      thing: 'repository',
      before,
      after: { ...before, epoch: raised },
    })),
  )
  return rows.length
}
