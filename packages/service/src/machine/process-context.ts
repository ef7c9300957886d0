/** The dependencies of a service on its machine; tests give their own. */

import type { Clock, OptionTypes } from '@latchkey/protocol'
import { type LineWriter, standardOutput } from '../observe/line-writer.ts'
import type { Log } from '../observe/log.ts'
import { pooledRandom, type RandomBytes } from './random.ts'
import { type Stopwatch, systemClock } from './time.ts'

export interface ProcessContext {
  readonly clock: Clock
  readonly stopwatch: Stopwatch
  readonly randomBytes: RandomBytes
  /** Where log lines go; the service closes it when it stops. */
  readonly lines: LineWriter
}

export const processContextTypes: OptionTypes<ProcessContext> = {
  clock: 'function',
  stopwatch: 'function',
  randomBytes: 'function',
  lines: 'object',
}

export function processContextFrom(overrides: Partial<ProcessContext>): ProcessContext {
  return {
    clock: overrides.clock ?? systemClock,
    stopwatch: overrides.stopwatch ?? (() => performance.now()),
    randomBytes: overrides.randomBytes ?? pooledRandom(),
    lines: overrides.lines ?? standardOutput(),
  }
}

interface StopContext<Name extends string> {
  readonly log: Log<`${Name}_stopping` | `${Name}_stopped`>
  /** Closed after the last line. */
  readonly lines: LineWriter
  readonly settings: { readonly stopDeadlineSeconds: number }
}

export function stopOnce<Name extends string>(
  name: Name,
  { log, lines, settings: { stopDeadlineSeconds: deadlineSeconds } }: StopContext<Name>,
  close: (deadlineSeconds: number) => Promise<void>,
): () => Promise<void> {
  let stopped: Promise<void> | undefined
  const stop = async () => {
    log(`${name}_stopping`, { deadlineSeconds })
    await close(deadlineSeconds)
    log(`${name}_stopped`, {})
    await lines.close()
  }
  return () => {
    stopped ??= stop()
    return stopped
  }
}
