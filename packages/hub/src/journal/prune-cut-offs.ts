/** Removes cut-offs once no storage token can be alive that they would end. */

import { isRefusal, type JournalNumber, journalNumber } from '@latchkey/protocol'
import type { Directory, Tables } from '../directory/port/directory.ts'
import { longestTokenMs } from './longest-token.ts'

/** Clocks of hubs may be apart, and a hub that lags may sign a little later. */
const marginMs = 3600 * 1000

/** Few enough that no writer waits long. */
const rowsAtOnce = 1000

/** Gives how many are gone. A key that was taken back stays so for ever. */
export async function pruneCutOffs(directory: Directory, nowMs: number): Promise<number> {
  const oldestKept = Math.max(0, nowMs - longestTokenMs - marginMs)
  let removed = 0
  for (;;) {
    const some = await directory.note('cut-off retention', ({ tables }) =>
      pruneSome(tables, journalNumber(oldestKept)),
    )
    if (isRefusal(some) || some === 0) return removed
    removed += some
  }
}

async function pruneSome(tables: Tables, oldestKept: JournalNumber): Promise<number> {
  const rows = await tables
    .selectFrom('cut_offs')
    .select(['kind', 'id'])
    .where('made', '<', oldestKept)
    .where('kind', '!=', 'key')
    .orderBy('made')
    .limit(rowsAtOnce)
    .execute()
  for (const { kind, id } of rows) {
    await tables.deleteFrom('cut_offs').where('kind', '=', kind).where('id', '=', id).execute()
  }
  return rows.length
}
