/** Writes the lines of another process among the own ones, whole and in order. */

import type { Readable } from 'node:stream'
import type { DrainedLines } from '@latchkey/service/observe/line-writer'
import { wholeText } from './whole-lines.ts'

/** No line of ours is nearly as long. */
const longestLine = 256 * 1024

export interface Forwarding {
  readonly lines: Pick<DrainedLines, 'write' | 'drained'>
  /** Left out, every line is written as it is. */
  readonly reading?: LineReading
}

export interface LineReading {
  /** The line as it is written; undefined for one that is none of the other process. */
  read(line: string): string | undefined
  /** Told of lines that were left out. */
  onLeftOut(): void
}

/**
 * Reads on when the lines so far are written: while our standard output is blocked, the other process waits. Settles at
 * the end of the stream; rejects when a line does not end.
 */
export async function forwardLines(from: Readable, { lines, reading }: Forwarding): Promise<void> {
  for await (const text of wholeText(from, longestLine)) {
    const good = reading === undefined ? text : readLines(text, reading)
    if (good === undefined) continue
    lines.write(`${good}\n`)
    await lines.drained()
  }
}

function readLines(text: string, { read, onLeftOut }: LineReading): string | undefined {
  const all = text.split('\n')
  const good = all.map(read).filter((line) => line !== undefined)
  if (good.length < all.length) onLeftOut()
  return good.length === 0 ? undefined : good.join('\n')
}
