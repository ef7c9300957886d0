/** Ends the process at once when it is told to; what is to be cleaned up is, as at every end. */

import { constants } from 'node:os'

export function endOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]))
  }
}
