/** The mark of a database into which a copy is being made: until the copy is whole, nothing serves it. */

import { unfinishedMark } from '../database/unfinished-mark.ts'
import { CannotStart } from '../machine/cannot-start.ts'
import type { AnyTables } from './copy-side.ts'

/** Any tables of ours that have settings; their own type names other tables beside it. */
type WithSettings = object

export async function findMark(tables: WithSettings): Promise<string | undefined> {
  const row = await (tables as AnyTables)
    .selectFrom('settings')
    .select('value')
    .where('name', '=', unfinishedMark)
    .executeTakeFirst()
  return row === undefined ? undefined : String(row['value'])
}

export async function refuseUnfinished(tables: WithSettings, place: string): Promise<void> {
  if ((await findMark(tables)) === undefined) return
  throw new CannotStart(
    `${place} holds a copy that is not finished, so it is not used. Run the same "latchkey migrate --from … --to …" again: it goes on where it was cut off.`,
  )
}
