/** Messages for the person at the terminal: on standard error, so that data can be piped. */

import { escapeText } from '@latchkey/service/text'

export function tell(line: string): void {
  process.stderr.write(`${escapeText(line)}\n`)
}
