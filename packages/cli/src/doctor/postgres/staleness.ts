/** How long access that was withdrawn can still be used, by these settings. */

import type { Check } from '../basis/check.ts'
import { good } from '../basis/finding.ts'

export const staleness: Check = {
  name: 'staleness',
  databases: ['postgres'],
  async look({ settings: { stalenessSeconds } }) {
    return [
      good(
        `what a hub knows is at most ${stalenessSeconds} s old when it signs (stalenessSeconds); a database that is away for longer stops new tokens`,
      ),
    ]
  },
}
