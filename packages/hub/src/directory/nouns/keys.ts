/** The keys that sign storage tokens, by name; their material never leaves the store. */

import { formatTime, type UnixSeconds } from '@latchkey/protocol'
import { countOf } from '../port/columns.ts'
import type { Does } from './does.ts'
import { makePage } from './page.ts'

export const listKeys: Does<'keys list'> = async ({ tables }, { limit, after = '' }) => {
  const rows = await tables
    .selectFrom('signing_keys')
    .select(['kid', 'alg', 'created_at'])
    .where('kid', '>', after)
    .orderBy('kid')
    .limit(limit + 1)
    .execute()
  const total = await countOf(tables.selectFrom('signing_keys'))
  return makePage(
    { rows, total, limit },
    ({ kid, alg, created_at }) => ({
      kid,
      alg,
      createdAt: formatTime(created_at as UnixSeconds),
    }),
    ({ kid }) => kid,
  )
}
