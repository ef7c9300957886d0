/** Standard output as a place for log lines: written in portions, whole when the process leaves. */

import { once } from 'node:events'
import sonic from 'sonic-boom'
import type { WriteLine } from './log.ts'

export interface LineWriter {
  readonly write: WriteLine
  /** Settles when every line is out, or when the reader has taken none for a while. */
  close(): Promise<void>
}

/** How long a process that ends waits for the reader of its lines. */
const closeTimeoutMs = 2000

export function standardOutput(): LineWriter {
  // A reader that stalls costs lines beyond 16 MiB, never memory without bound.
  const destination = new sonic.SonicBoom({
    fd: 1,
    sync: false,
    minLength: 8192,
    maxLength: 16 * 1024 * 1024,
    periodicFlush: 100,
  })
  // A process that ends without closing still writes what it has.
  const flush = () => destination.flushSync()
  process.once('exit', flush)
  let hasReader = true
  destination.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') return
    // Flushing would try again without end.
    process.off('exit', flush)
    hasReader = false
    destination.destroy()
  })
  return {
    write(line) {
      if (hasReader) destination.write(line)
    },
    async close() {
      if (!hasReader) return
      const out = once(destination, 'close', { signal: AbortSignal.timeout(closeTimeoutMs) })
      destination.end()
      await out.catch(() => {})
      process.off('exit', flush)
    },
  }
}
