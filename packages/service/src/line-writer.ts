/** Standard output as a place for log lines: written in portions, whole when the process leaves. */

import { once } from 'node:events'
import { pino } from 'pino'
import type { WriteLine } from './log.ts'

export interface LineWriter {
  readonly write: WriteLine
  /** Settles when every line is out, or when nobody has taken them for a while. */
  close(): Promise<void>
}

/** How long a process that leaves waits for whoever reads its lines. */
const patienceMs = 2000

export function standardOutput(): LineWriter {
  // A reader that stalls costs lines beyond 16 MiB, never memory without bound.
  const destination = pino.destination({
    fd: 1,
    sync: false,
    minLength: 8192,
    maxLength: 16 * 1024 * 1024,
    periodicFlush: 100,
  })
  destination.on('error', () => {})
  // Whoever ends the process at once still gets what was written before.
  const flush = () => destination.flushSync()
  process.once('exit', flush)
  return {
    write: (line) => destination.write(line),
    async close() {
      const out = once(destination, 'close', { signal: AbortSignal.timeout(patienceMs) })
      destination.end()
      await out.catch(() => {})
      process.off('exit', flush)
    },
  }
}
