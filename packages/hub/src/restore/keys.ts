/** Keys that were removed after the backup: one that leaked must not sign again. */

import { notThere, type Repeat, repeated } from './told.ts'

export const repeatKey: Repeat = async ({ tables, put }, { before: { kid } }) => {
  const before = await tables
    .selectFrom('signing_keys')
    .selectAll()
    .where('kid', '=', String(kid))
    .executeTakeFirst()
  if (before === undefined) return notThere
  await put([{ thing: 'key', before }])
  return repeated
}
