/** The keys that sign storage tokens, by name; their material never leaves the store. */

import { z } from 'zod'
import { pageOf, paging } from '../input/page.ts'
import { moment } from '../input/words.ts'
import { says } from './says.ts'

const key = z.object({
  kid: z.string().describe('The RFC 7638 thumbprint, as in a token header.'),
  alg: z.string(),
  createdAt: moment,
})

export const listKeys = says({
  summary: 'List the signing keys, without any key material.',
  input: z.strictObject({ ...paging }),
  output: pageOf(key),
})
