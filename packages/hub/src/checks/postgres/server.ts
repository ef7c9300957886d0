/** Whether PostgreSQL can be reached and used, and takes changes. */

import { type Check, findingsOfServer, wrongByError } from '@latchkey/service/checks'
import type { HubInstallation } from '../installation.ts'

export const server: Check<HubInstallation> = {
  name: 'database',
  async run({ database, databaseKind }) {
    if (databaseKind !== 'postgres') return []
    const answer = await database()
    return answer.kind === 'away' ? [wrongByError(answer.error)] : findingsOfServer(answer)
  },
}
