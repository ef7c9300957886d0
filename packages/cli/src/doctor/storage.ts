/** Whether the process of the embedded storage answers. */

import { type Check, good, wrong } from '@latchkey/service/checks'
import type { Installation } from './basis/installation.ts'

export const storage: Check<Installation> = {
  name: 'storage',
  async run(installation) {
    const answer = await installation.hub()
    // A hub that is not ready says nothing of its storage.
    if (installation.storage === undefined || answer.kind !== 'answers' || !answer.isReady)
      return []
    if (answer.storage === 'ready') return [good('its process runs and is ready')]
    if (answer.storage === undefined) {
      return [
        wrong(
          'the hub runs without one, and these settings have one',
          'Run this command with the settings of the hub (--no-storage), or restart the hub.',
        ),
      ]
    }
    return [
      wrong(
        'its process does not answer, or is not ready',
        'The log says why (storage_ended, hub_unreached). A process that ended is started again.',
      ),
    ]
  },
}
