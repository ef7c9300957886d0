/** How a service stops: once, however often it is told to, with a log line before and after. */

import type { LineWriter } from './line-writer.ts'
import type { Log } from './log.ts'

export interface Stopping<Name extends string> {
  readonly log: Log<`${Name}_stopping` | `${Name}_stopped`>
  /** Closed after the last line. */
  readonly lines: LineWriter
  readonly deadlineSeconds: number
  close(deadlineSeconds: number): Promise<void>
}

export function stopOnce<Name extends string>(
  name: Name,
  { log, lines, deadlineSeconds, close }: Stopping<Name>,
): () => Promise<void> {
  const stop = async () => {
    log(`${name}_stopping`, { deadlineSeconds })
    await close(deadlineSeconds)
    log(`${name}_stopped`, {})
    await lines.close()
  }
  let stopped: Promise<void> | undefined
  return () => {
    stopped ??= stop()
    return stopped
  }
}
