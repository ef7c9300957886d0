/** The lines of a file of patterns, in bytes. */

import { isLongerThan, type Refusal, refuse } from '@latchkey/protocol'
import { bytesOf } from './path-pattern.ts'

const longestTextBytes = 1024 * 1024
/** More than a dataset has that names each of its large files. */
const mostLines = 20_000

export function refuseLongPatterns(file: string, text: string): Refusal | undefined {
  if (isLongerThan(text, longestTextBytes)) {
    return refuse('bad_request', `${file} is longer than ${longestTextBytes} bytes. Use wildcards.`)
  }
  return text.split('\n', mostLines + 1).length > mostLines
    ? refuse('bad_request', `${file} has more than ${mostLines} lines. Use wildcards.`)
    : undefined
}

/** Without a byte order mark; a line ends where C's strings end. */
export function linesOf(text: string): string[] {
  return bytesOf(text.replace(/^\ufeff/, ''))
    .split('\n')
    .map((line) => line.replace(/\r$/, '').split('\0', 1).join())
}
