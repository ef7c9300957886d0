/** The mark of a database into which a copy is being made: until the copy is whole, no hub serves it. */

import { CannotStart } from '@latchkey/service/cannot-start'
import type { Reading } from '../../directory/port/directory.ts'

/** The name of the mark among the settings. */
export const markName = 'unfinished copy'

/** Settings that are about the database and not about the directory, so that no copy has them. */
export const ofTheDatabase: readonly string[] = [markName, 'postgres server']

export async function findMark(tables: Reading): Promise<string | undefined> {
  const row = await tables
    .selectFrom('settings')
    .select('value')
    .where('name', '=', markName)
    .executeTakeFirst()
  return row?.value
}

export async function refuseUnfinished(tables: Reading, place: string): Promise<void> {
  if ((await findMark(tables)) === undefined) return
  throw new CannotStart(
    `${place} holds a copy that is not finished, so it is not used. Run the same "latchkey migrate --from … --to …" again: it goes on where it was cut off.`,
  )
}
