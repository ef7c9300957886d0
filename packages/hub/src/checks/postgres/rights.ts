/** Whether the role can do what a hub does, and not much more. */

import { type Check, findingsOfRights } from '@latchkey/service/checks'
import type { HubInstallation } from '../installation.ts'
import { withDatabase } from '../with-database.ts'

export const rights: Check<HubInstallation> = {
  name: 'role',
  run: (installation) => withDatabase(installation, (answer) => findingsOfRights(answer, 'hubs')),
}
