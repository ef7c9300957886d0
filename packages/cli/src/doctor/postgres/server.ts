/** Whether PostgreSQL can be reached and used, and takes changes. */

import { placeOf } from '@latchkey/service/postgres/settings'
import type { Check } from '../basis/check.ts'
import { good, wrong, wrongAsTold } from '../basis/finding.ts'

export const server: Check = {
  name: 'database',
  databases: ['postgres'],
  async look({ database }) {
    const answer = await database()
    if (answer.kind === 'away') return [wrongAsTold(answer.error)]
    const { settings, server, store } = answer
    // A packager's name follows the number.
    const version = server.version.split(' ')[0]
    const words = `PostgreSQL ${version} at ${placeOf(settings)}`
    if (server.isReplica === 1) {
      return [
        wrong(
          `${words}, is a read-only replica`,
          'Name the primary in the address; or promote this one, if the primary is lost.',
        ),
      ]
    }
    const way = store.isPooled() ? ' through a pooler' : ''
    return [good(`${words}, answers${way} and takes changes`)]
  },
}
