/** Whether hubs hear of a change at once, or find it by asking. */

import { type Check, good, skipped, warning, wrongByError } from '@latchkey/service/checks'
import { CannotStart } from '@latchkey/service/machine/cannot-start'
import type { HubInstallation } from '../installation.ts'
import { withDatabase } from '../with-database.ts'

export const notifications: Check<HubInstallation> = {
  name: 'notifications',
  run: (installation) =>
    withDatabase(installation, async ({ store, server }) => {
      if (server.isReplica === 1) return [skipped('a replica sends none')]
      if (store.isPooled()) {
        return [
          warning(
            'a pooler stands before the server: hubs ask every second, and hear nothing in between',
            'Nothing is wrong with it. For less delay, name the server itself in the address.',
          ),
        ]
      }
      const reason = await store.tryNotification()
      return [
        reason === undefined
          ? good('sent and heard: hubs learn of a change at once')
          : wrongByError(new CannotStart(reason)),
      ]
    }),
}
