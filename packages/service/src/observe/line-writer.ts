/** Standard output as a place for log lines: written in portions, whole when the process leaves. */

import { writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { LineQueue } from './line-queue.ts'
import type { WriteLine } from './log.ts'

export interface LineWriter {
  readonly write: WriteLine
  /** Settles when every line is out, or when they could not be written for a while. */
  close(): Promise<void>
}

/** Says when it can take more without holding it in memory. */
export interface DrainedLines extends LineWriter {
  /** Settles when every line so far is out or given up. */
  drained(): Promise<void>
}

const standardOutputFd = 1
/** How long a process that ends waits for the reader of its lines. */
const closeTimeoutMs = 2000
const retryMs = 20

export function standardOutput(): DrainedLines {
  const queue = new LineQueue(standardOutputFd, () => process.off('exit', flush))
  // A process that ends without closing still writes what it has.
  const flush = () => flushSync(queue.takeAll())
  process.once('exit', flush)
  return {
    write: (line) => queue.add(line),
    drained: () => queue.drain(),
    async close() {
      const patience = new AbortController()
      const tooLate = delay(closeTimeoutMs, undefined, patience).catch(() => {})
      await Promise.race([queue.drain(), tooLate])
      patience.abort()
      queue.giveUp()
    },
  }
}

/** Gives up at an error other than "try again", and when the reader takes nothing for a while. */
function flushSync(bytes: Buffer): void {
  const pause = new Int32Array(new SharedArrayBuffer(4))
  let rest = bytes
  for (let waitedMs = 0; rest.length > 0 && waitedMs < closeTimeoutMs; ) {
    try {
      rest = rest.subarray(writeSync(standardOutputFd, rest))
      waitedMs = 0
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
      Atomics.wait(pause, 0, 0, retryMs)
      waitedMs += retryMs
    }
  }
}
