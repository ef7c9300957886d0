/** The lines of a file of patterns, in bytes. */

import { setImmediate } from 'node:timers/promises'
import { isLongerThan, type Refusal, refuse } from '@latchkey/protocol'
import { bytesOf } from './path-pattern.ts'

const longestTextBytes = 1024 * 1024
/** More than a dataset has that names each of its large files. */
const mostLines = 20_000
/** Twice the longest path. */
const longestLine = 8192

export function refuseLongPatterns(file: string, text: string): Refusal | undefined {
  if (isLongerThan(text, longestTextBytes)) {
    return refuse('bad_request', `${file} is longer than ${longestTextBytes} bytes. Use wildcards.`)
  }
  const lines = text.split('\n', mostLines + 1)
  if (lines.length > mostLines) {
    return refuse('bad_request', `${file} has more than ${mostLines} lines. Use wildcards.`)
  }
  return lines.some(({ length }) => length > longestLine)
    ? refuse('bad_request', `${file} has a line of more than ${longestLine} letters.`)
    : undefined
}

/** Without a byte order mark; a line ends where C's strings end. */
function linesOf(text: string): string[] {
  return bytesOf(text.replace(/^\ufeff/, ''))
    .split('\n')
    .map((line) => line.replace(/\r$/, '').split('\0', 1).join())
}

/** Other requests wait for so many letters to be read. */
const lettersAtOnce = 32 * 1024

/** Reads line by line, and lets other requests in between. */
export async function readLines<Read>(
  text: string,
  read: (line: string) => readonly Read[],
): Promise<Read[]> {
  const all: Read[] = []
  let letters = 0
  for (const line of linesOf(text)) {
    all.push(...read(line))
    letters += line.length + 1
    if (letters < lettersAtOnce) continue
    letters = 0
    await setImmediate()
  }
  return all
}
