/** The log events of `latchkey serve` in docs/reference/log-events.md. */

import type { EventTexts } from '@latchkey/service/observe/log'
import type { levelOf } from './companions.ts'

export const eventTexts: EventTexts<typeof levelOf> = {
  storage_ended: {
    about:
      'The process of the storage ended with the exit code `code`, and starts again after `startsInMs`.',
    fields: ['code', 'signal', 'reason', 'startsInMs'],
  },
  forge_ended: {
    about:
      'The process of the forge ended with the exit code `code`, and starts again after `startsInMs`.',
    fields: ['code', 'signal', 'reason', 'startsInMs'],
  },
}
