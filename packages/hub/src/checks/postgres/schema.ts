/** Whether the tables of the hub are there, whole, and of this program's version. */

import { type Check, findingOfSchema } from '@latchkey/service/checks'
import { refuseDemoData } from '../../data/demo-mark.ts'
import type { HubInstallation } from '../installation.ts'
import { withDatabase } from '../with-database.ts'

export const schema: Check<HubInstallation> = {
  name: 'schema',
  run: (installation) =>
    withDatabase(installation, async (answer) => {
      const finding = findingOfSchema(answer, 'hubs')
      const { demo, data } = installation.settings
      if (finding.result === 'good' && !demo) await refuseDemoData(answer.store, data)
      return [finding]
    }),
}
