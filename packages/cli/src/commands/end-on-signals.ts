/** Ends the process at once when it is told to; what is to be cleaned up is, as at every end. */

import { constants } from 'node:os'
import { tell } from '../output/tell.ts'

/** `lastLine` tells what was kept of a transfer, and how it goes on. */
export function endOnSignals(lastLine: () => string | undefined = () => undefined): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      const line = lastLine()
      if (line !== undefined) tell(`latchkey: ${line}`)
      process.exit(128 + constants.signals[signal])
    })
  }
}
