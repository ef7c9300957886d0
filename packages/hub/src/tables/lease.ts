/** Leases: of the hubs on one database, one at a time does a piece of work. */

import { isRefusal } from '@latchkey/protocol'
import type { Directory } from './directory.ts'

export interface LeaseWish {
  readonly name: string
  /** Differs for each process. */
  readonly holder: string
  readonly now: number
  readonly seconds: number
}

/** Takes or prolongs it. False while another one holds it. */
export async function takeLease(
  directory: Pick<Directory, 'note'>,
  { name, holder, now, seconds }: LeaseWish,
): Promise<boolean> {
  const until = now + seconds
  const result = await directory.note('lease', async ({ tables }) => {
    const held = await tables
      .selectFrom('leases')
      .selectAll()
      .where('name', '=', name)
      .executeTakeFirst()
    // An end that lies far ahead is of a clock that was wrong.
    const isFree = held === undefined || held.until <= now || held.until > now + 2 * seconds
    if (!isFree && held.holder !== holder) return false
    await tables
      .insertInto('leases')
      .values({ name, holder, until })
      .onConflict((row) => row.column('name').doUpdateSet({ holder, until }))
      .execute()
    return true
  })
  return !isRefusal(result) && result
}

/** So that another one need not wait for its end. */
export async function leaveLease(
  directory: Pick<Directory, 'note'>,
  { name, holder }: Pick<LeaseWish, 'name' | 'holder'>,
): Promise<void> {
  await directory.note('lease', async ({ tables }) => {
    await tables
      .deleteFrom('leases')
      .where('name', '=', name)
      .where('holder', '=', holder)
      .execute()
  })
}
