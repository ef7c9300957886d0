/** Writes the lines of another process among the own ones, whole and in order. */

import type { Readable } from 'node:stream'
import type { DrainedLines } from '@latchkey/service/line-writer'

const newline = 0x0a

/** No line of ours is nearly as long. */
const longestLine = 256 * 1024

/**
 * Reads on when the lines so far are written: while our standard output is blocked, the other process waits. Settles at
 * the end of the stream; a line that was cut by the end of the process is left out. Rejects when a line does not end.
 */
export async function forwardLines(from: Readable, lines: DrainedLines): Promise<void> {
  let begun: Buffer[] = []
  for await (const part of from as AsyncIterable<Buffer>) {
    const end = part.lastIndexOf(newline) + 1
    if (end > 0) {
      lines.write(Buffer.concat([...begun, part.subarray(0, end)]).toString())
      begun = []
      await lines.drained()
    }
    if (end < part.length) begun.push(part.subarray(end))
    const length = begun.reduce((sum, piece) => sum + piece.length, 0)
    if (length > longestLine) throw new Error('a line of the other process is too long')
  }
}
