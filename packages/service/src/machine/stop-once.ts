/** How a service stops: once, however often it is told to, with a log line before and after. */

import type { LineWriter } from '../observe/line-writer.ts'
import type { Log } from '../observe/log.ts'

export interface Stopping<Name extends string> {
  readonly log: Log<`${Name}_stopping` | `${Name}_stopped`>
  /** Closed after the last line. */
  readonly lines: LineWriter
  readonly settings: { readonly stopDeadlineSeconds: number }
}

export function stopOnce<Name extends string>(
  name: Name,
  { log, lines, settings: { stopDeadlineSeconds: deadlineSeconds } }: Stopping<Name>,
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
