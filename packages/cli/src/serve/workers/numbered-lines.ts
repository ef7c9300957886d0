/** Log lines that say which worker has written them. */

import type { LineWriter } from '@latchkey/service/line-writer'

/** A line is a JSON object and a newline. */
export function numberedLines({ write, close }: LineWriter, number: number): LineWriter {
  const end = `,"worker":${number}}\n`
  return { write: (line) => write(line.slice(0, -2) + end), close }
}
