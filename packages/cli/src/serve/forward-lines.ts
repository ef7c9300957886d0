/** Writes the lines of another process among the own ones, whole and in order. */

import type { Readable } from 'node:stream'
import type { DrainedLines } from '@latchkey/service/line-writer'
import { wholeLines } from './whole-lines.ts'

/** No line of ours is nearly as long. */
const longestLine = 256 * 1024

export interface Forwarding {
  readonly lines: Pick<DrainedLines, 'write' | 'drained'>
  /** The line as it is written; undefined for one that is none of the other process. */
  read(line: string): string | undefined
  /** Told of lines that were left out. */
  onLeftOut(): void
}

/**
 * Reads on when the lines so far are written: while our standard output is blocked, the other process waits. Settles at
 * the end of the stream; rejects when a line does not end.
 */
export async function forwardLines(
  from: Readable,
  { lines, read, onLeftOut }: Forwarding,
): Promise<void> {
  for await (const some of wholeLines(from, longestLine)) {
    const good = some.map(read).filter((line) => line !== undefined)
    if (good.length < some.length) onLeftOut()
    if (good.length === 0) continue
    lines.write(`${good.join('\n')}\n`)
    await lines.drained()
  }
}
