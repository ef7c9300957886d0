/** The one line that a mistake is told in. */

import { Stop } from '../src/output/stop.ts'

export function lineOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof Stop) return error.message
    throw error
  }
  throw new Error('nothing was refused')
}
