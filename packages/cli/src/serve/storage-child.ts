/** The process of a storage: does what `latchkey serve` tells it, and ends when `latchkey serve` has ended. */

import { serveParent } from '@latchkey/service/machine/child/serve-parent'
import { end, explainBreakdown } from '../output/explain-end.ts'
import { exitCodes } from '../output/stop.ts'
import { storageProtocol } from './messages.ts'
import { startLinkedStorage } from './start-linked-storage.ts'
import { ownNames } from './storage-metrics.ts'

// Node's warnings are not meant for our users.
process.removeAllListeners('warning')
process.stderr.on('error', () => {})
process.on('uncaughtException', (error) => process.exit(explainBreakdown(error)))

serveParent(
  {
    name: 'the storage process',
    protocol: storageProtocol,
    start: startLinkedStorage,
    async answer(storage, question) {
      if (question === 'metrics') return ownNames(await storage.metrics.text())
      return (await storage.isReady()) ? 'ready' : 'not ready'
    },
    failureCode: exitCodes.unavailable,
    leave: (line) => process.exit(end(exitCodes.unavailable, line)),
  },
  'this is the process of a storage, which "latchkey serve" starts; run that',
)
