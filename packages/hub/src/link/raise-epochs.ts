/** Gives repositories an address that none of them ever had. */

import type { RepositoryUid } from '@latchkey/protocol'
import type { Origin } from '../directory/port/change.ts'
import { chunked } from '../directory/port/columns.ts'
import type { Transaction } from '../directory/port/directory.ts'
import type { RepositoryRow } from '../directory/port/rows.ts'
import { findHead } from '../journal/read-journal.ts'

/** Gives how many of the uids are repositories; each of those gets an entry in the journal. */
export async function raiseEpochs(
  { tables, putAs }: Transaction,
  origin: Origin,
  uids: readonly RepositoryUid[],
): Promise<number> {
  const rows: RepositoryRow[] = []
  for (const some of chunked([...new Set(uids)])) {
    const found = tables.selectFrom('repositories').selectAll().where('uid', 'in', some)
    rows.push(...(await found.orderBy('uid').execute()))
  }
  // A number that the journal has not reached yet; a restored backup does not bring it back.
  const { number } = await findHead(tables)
  const changes = rows.map((before) => {
    const after = { ...before, epoch: Math.max(before.epoch, number) + 1 }
    return { thing: 'repository', before, after } as const
  })
  await putAs(origin)(changes)
  return rows.length
}
