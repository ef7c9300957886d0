/** Standard output as a place for log lines: written in portions, whole when the process leaves. */

import { pino } from 'pino'
import type { WriteLine } from './log.ts'

export interface LineWriter {
  readonly write: WriteLine
  close(): void
}

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
  return {
    write: (line) => destination.write(line),
    close: () => destination.flushSync(),
  }
}
