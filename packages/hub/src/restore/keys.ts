/** Keys that were removed: what they signed must not be taken again. */

import { type Repeat, repeated } from './told.ts'

/** A gate may still hold a key that the backup does not have, so it is cut off too. The next start makes a key to sign. */
export const repeatKey: Repeat = async ({ tables, put }, { before: told }) => {
  const kid = String(told['kid'])
  const before = await tables
    .selectFrom('signing_keys')
    .selectAll()
    .where('kid', '=', kid)
    .executeTakeFirst()
  await put(
    before === undefined
      ? [{ thing: 'cut-off', cuts: [{ kind: 'key', id: kid }] }]
      : [{ thing: 'key', before }],
  )
  return repeated
}
