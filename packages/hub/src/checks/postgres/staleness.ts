/** How long access that was withdrawn can still be used, by these settings. */

import { type Check, good } from '@latchkey/service/checks'
import type { HubInstallation } from '../installation.ts'

export const staleness: Check<HubInstallation> = {
  name: 'staleness',
  async run({ settings: { stalenessSeconds }, databaseKind }) {
    if (databaseKind !== 'postgres') return []
    return [
      good(
        `what a hub knows is at most ${stalenessSeconds} s old when it signs (stalenessSeconds); a database that is away for longer stops new tokens`,
      ),
    ]
  },
}
