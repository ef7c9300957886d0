/** Ends the process at once when it is told to; what is to be cleaned up is, as at every end. */

import { constants } from 'node:os'
import { tell } from '../output/tell.ts'

type LastLine = () => string | undefined

/** A process runs one command, so there is one last line. */
let lastLineOf: LastLine = () => undefined

/** `lastLine` tells what was kept of a transfer, and how it goes on. */
export function endOnSignals(lastLine: LastLine = () => undefined): void {
  lastLineOf = lastLine
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.off(signal, leave).once(signal, leave)
  }
}

function leave(signal: NodeJS.Signals): void {
  const line = lastLineOf()
  if (line !== undefined) tell(`latchkey: ${line}`)
  process.exit(128 + constants.signals[signal])
}
