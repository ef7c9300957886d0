/** The keys that sign storage tokens, by name; their material never leaves the store. */

import { formatTime, type UnixSeconds } from '@latchkey/protocol'
import { z } from 'zod'
import { countOf } from './columns.ts'
import { operation } from './operation.ts'
import { makePage, pageOf, paging } from './page.ts'
import { moment } from './words.ts'

const key = z.object({
  kid: z.string().describe('The RFC 7638 thumbprint, as in a token header.'),
  alg: z.string(),
  createdAt: moment,
})

export const listKeys = operation({
  summary: 'List the signing keys, without any key material.',
  input: z.strictObject({ ...paging }),
  output: pageOf(key),
  async run({ tables }, { limit, after = '' }) {
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
  },
})
