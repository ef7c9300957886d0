/** What does a check of the gate cost, of a token seen before and of one never seen? */

import { benchCheck } from '../gate/check.ts'
import type { Part } from '../part.ts'

export const check: Part = {
  name: 'check',
  figures: ({ rounds = 11 }) => benchCheck(rounds),
}
