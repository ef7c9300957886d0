/** Whether the database and this machine agree about the time, and with it all hubs of the database. */

import type { Check } from '../basis/check.ts'
import { good, wrong } from '../basis/finding.ts'
import { spanOf } from '../basis/span.ts'
import { withDatabase } from '../basis/with-database.ts'

export const clock: Check = {
  name: 'clock',
  databases: ['postgres'],
  look: (installation) =>
    withDatabase(installation, ({ aheadMs }) => {
      const bound = installation.configuration.values.leewaySeconds
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
