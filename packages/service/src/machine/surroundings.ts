/** What a service takes from the machine it runs on; tests give their own. */

import type { Clock, OptionTypes } from '@latchkey/protocol'
import type { Stopwatch } from '../limits/limiter.ts'
import { type LineWriter, standardOutput } from '../observe/line-writer.ts'
import { pooledRandom, type RandomBytes } from './random.ts'
import { systemClock } from './system-clock.ts'

export interface Surroundings {
  readonly clock: Clock
  readonly stopwatch: Stopwatch
  readonly randomBytes: RandomBytes
  /** Where log lines go; the service closes it when it stops. */
  readonly lines: LineWriter
}

export const surroundingTypes: OptionTypes<Surroundings> = {
  clock: 'function',
  stopwatch: 'function',
  randomBytes: 'function',
  lines: 'object',
}

export function surroundingsFrom(given: Partial<Surroundings>): Surroundings {
  return {
    clock: given.clock ?? systemClock,
    stopwatch: given.stopwatch ?? (() => performance.now()),
    randomBytes: given.randomBytes ?? pooledRandom(),
    lines: given.lines ?? standardOutput(),
  }
}
