/** Removes cut-offs once no storage token can be alive that they would end. */

import { type JournalNumber, journalNumber } from '@latchkey/protocol'
import { cutOffLifeSeconds } from '@latchkey/token'
import type { Directory, Reading, Tables } from '../tables/directory.ts'
import type { Schema } from '../tables/schema.ts'

/** Few enough that no writer waits long. */
const rowsAtOnce = 1000

/** Gives how many are gone. A key that was taken back stays so for ever. Where none is old enough, no writer has to wait. */
export async function pruneCutOffs(directory: Directory, nowMs: number): Promise<number> {
  const oldestKept = journalNumber(Math.max(0, nowMs - cutOffLifeSeconds * 1000))
  let removed = 0
  for (;;) {
    const old = await directory.read((tables) => findOld(tables, oldestKept))
    if (old.length === 0) return removed
    await directory.note('cut-off retention', ({ tables }) => remove(tables, old, oldestKept))
    removed += old.length
  }
}

type Place = Pick<Schema['cut_offs'], 'kind' | 'id'>

function findOld(tables: Reading, oldestKept: JournalNumber): Promise<readonly Place[]> {
  return tables
    .selectFrom('cut_offs')
    .select(['kind', 'id'])
    .where('made', '<', oldestKept)
    .where('kind', '!=', 'key')
    .orderBy('made')
    .limit(rowsAtOnce)
    .execute()
}

/** Not one that was cut again meanwhile. */
async function remove(
  tables: Tables,
  old: readonly Place[],
  oldestKept: JournalNumber,
): Promise<void> {
  for (const { kind, id } of old) {
    await tables
      .deleteFrom('cut_offs')
      .where('kind', '=', kind)
      .where('id', '=', id)
      .where('made', '<', oldestKept)
      .execute()
  }
}
