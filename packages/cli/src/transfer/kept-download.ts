/** How much of a download to files is there: said when it is broken off, because the next one goes on from it. */

import { Stop } from '../output/stop.ts'
import { amount } from './amount.ts'

export interface KeptDownload {
  /** Of all files together. */
  at(bytes: number, total: number): void
  stoppedLine(): string
  /** The error, and what is kept in spite of it. */
  explain(error: unknown): unknown
}

export function keptDownload(): KeptDownload {
  let [kept, total] = [0, 0]
  const sentence = () =>
    `${amount(kept)} of ${amount(total)} are kept, and the same command goes on from there`
  return {
    at(bytes, all) {
      kept = bytes
      total = all
    },
    stoppedLine: () => (kept === 0 ? 'stopped before anything was kept' : `stopped: ${sentence()}`),
    explain: (error) =>
      error instanceof Stop && kept > 0 && kept < total
        ? new Stop(error.exitCode, `${error.message}; ${sentence()}`)
        : error,
  }
}
