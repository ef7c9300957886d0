/** The one forge of a directory. */

import { idPattern } from '@latchkey/protocol'
import { z } from 'zod'
import { says } from './says.ts'

const id = z
  .string()
  .regex(idPattern, 'must be the id of a forge: 26 letters and digits, as the forge reports it')

export const adoptForge = says({
  summary:
    'Record another forge as the one of this hub, for example after a restore of its data directory. The forge before it is refused.',
  input: z.strictObject({
    forge: id.describe('The id of the forge: it reports the id when the hub refuses it.'),
  }),
  output: z.object({
    forge: z.string(),
    before: z.string().optional().describe('The id of the forge before it, if there was one.'),
  }),
})
