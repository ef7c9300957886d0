/** Keys that were removed: what they signed must not be taken again. */

import { notThere, type Repeat, repeated } from './told.ts'

/** Where no key is left that signs, the next start makes one. */
export const repeatKey: Repeat = async ({ tables, put }, { before: told }) => {
  const before = await tables
    .selectFrom('signing_keys')
    .selectAll()
    .where('kid', '=', String(told['kid']))
    .executeTakeFirst()
  if (before === undefined) return notThere
  await put([{ thing: 'key', before }])
  return repeated
}
