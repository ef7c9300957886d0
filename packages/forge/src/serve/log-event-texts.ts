/** The forge's log events in docs/reference/log-events.md. */

import type { EventTexts } from '@latchkey/service/observe/log'
import type { levelOf } from './log-events.ts'

export const eventTexts: EventTexts<typeof levelOf> = {
  forge_started: { about: 'The forge listens.', fields: ['url', 'publicUrl'] },
  forge_stopping: {
    about: 'The forge received a signal to stop and lets running requests finish.',
    fields: ['deadlineSeconds'],
  },
  forge_stopped: { about: 'The forge has stopped.', fields: [] },
  forge_ready: { about: 'The hub responds, and the forge serves repositories.', fields: [] },
  forge_not_ready: {
    about: 'The forge cannot serve repositories, for example because its hub does not respond.',
    fields: ['reason'],
  },
  forge_failed: {
    about:
      'A request or a background job failed inside the forge, or it could not ask the storage (`upstream_unreachable`).',
    fields: ['requestId', 'error'],
  },
}
