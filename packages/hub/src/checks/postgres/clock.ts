/** Whether the database and this machine agree about the time, and with it all hubs of the database. */

import { type Check, good, spanOf, wrong } from '@latchkey/service/checks'
import type { HubInstallation } from '../installation.ts'
import { withDatabase } from '../with-database.ts'

export const clock: Check<HubInstallation> = {
  name: 'clock',
  run: (installation) =>
    withDatabase(installation, ({ aheadMs }) => {
      const bound = installation.leewaySeconds
      if (Math.abs(aheadMs) <= bound * 1000) {
        return [good(`the database and this machine are less than ${bound} s apart`)]
      }
      const where = aheadMs > 0 ? 'ahead of' : 'behind'
      return [
        wrong(
          `the database is ${spanOf(aheadMs)} ${where} this machine`,
          'Set the wrong one, and keep both on NTP: hubs whose clocks differ refuse the tokens of one another, and journal numbers run ahead.',
        ),
      ]
    }),
}
