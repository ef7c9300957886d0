/** Clients remember by address what they believe to be stored, so it becomes another, and never one again. */

import { noRepositoryUid, type RepositoryUid } from '@latchkey/protocol'
import type { UpkeepChange } from './upkeep.ts'

/** Of one repository or of all; gives how many. The journal's number never comes again, also in a restored database. */
export async function raiseEpoch(
  { tables, number, put }: UpkeepChange,
  repositoryUid: RepositoryUid | undefined,
): Promise<number> {
  const rows = await tables
    .selectFrom('repositories')
    .selectAll()
    .$if(repositoryUid !== undefined, (one) =>
      one.where('uid', '=', repositoryUid ?? noRepositoryUid),
    )
    .execute()
  await put(
    rows.map((before) => ({ thing: 'repository', before, after: { ...before, epoch: number } })),
  )
  return rows.length
}
