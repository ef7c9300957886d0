/** What a person is told whose upload ended too early: what the storage has kept, and how it goes on. */

import { Stop } from '../output/stop.ts'
import { amount } from '../transfer/amount.ts'

/** `keptBytes` are those of this run, packed, that the storage has acknowledged. */
export function stoppedLine(keptBytes: number): string {
  return keptBytes === 0
    ? 'stopped: nothing new is kept yet, and the same command goes on where it was'
    : `stopped: ${keptWords(keptBytes)}`
}

/** The same after a failure; any other error as it is. */
export function withKept(error: unknown, keptBytes: number): unknown {
  if (!(error instanceof Stop) || keptBytes === 0) return error
  return new Stop(error.exitCode, `${error.message}; ${keptWords(keptBytes)}`)
}

function keptWords(bytes: number): string {
  return `the storage has kept ${amount(bytes)} of this run, and the same command goes on from there`
}
