/** How much of a download to files is there: said when it is broken off, because the next one goes on from it. */

import { Stop } from '../output/stop.ts'
import { tell } from '../output/tell.ts'
import { amount } from './amount.ts'

export interface KeptDownload {
  /** Of all files together. */
  at(bytes: number, total: number): void
  /** The error, and what is kept in spite of it. */
  explain(error: unknown): unknown
  /** Over, one way or another: signals are no longer answered here. */
  end(): void
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** One line at a signal, before the process ends by it. */
export function keptDownload(beforeLine: () => void): KeptDownload {
  let [kept, total] = [0, 0]
  const sentence = () =>
    `${amount(kept)} of ${amount(total)} are kept, and the same command goes on from there`
  const say = () => {
    beforeLine()
    tell(
      kept === 0
        ? 'latchkey: stopped before anything was kept'
        : `latchkey: stopped: ${sentence()}`,
    )
  }
  for (const signal of signals) process.prependOnceListener(signal, say)
  return {
    at(bytes, all) {
      kept = bytes
      total = all
    },
    explain: (error) =>
      error instanceof Stop && kept > 0 && kept < total
        ? new Stop(error.exitCode, `${error.message}; ${sentence()}`)
        : error,
    end() {
      for (const signal of signals) process.off(signal, say)
    },
  }
}
