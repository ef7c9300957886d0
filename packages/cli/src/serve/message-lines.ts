/** Messages between two processes: JSON, one a line, on a pipe. */

import type { Readable } from 'node:stream'

/** The longest is the text of all metrics. */
const longestLine = 1024 * 1024

/**
 * Security boundary: the other process may be in the hands of an attacker. A line that is too long or no JSON is told as
 * `undefined`, and nothing is read after it. Node's own channel would end this process instead.
 */
export function readMessages(from: Readable, onMessage: (message: unknown) => void): void {
  let begun = ''
  from.setEncoding('utf8')
  from.on('error', () => {})
  from.on('data', (text: string) => {
    const lines = (begun + text).split('\n')
    begun = lines.pop() ?? ''
    const isOdd = [begun, ...lines].some(({ length }) => length > longestLine)
    const messages = isOdd ? [undefined] : lines.map(parsed)
    for (const message of messages) {
      onMessage(message)
      if (message === undefined) return void from.removeAllListeners('data').destroy()
    }
  })
}

export function messageLine(message: object): string {
  return `${JSON.stringify(message)}\n`
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) ?? undefined
  } catch {
    return undefined
  }
}
