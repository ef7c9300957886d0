/** Messages between two processes: JSON, one a line, on a pipe. */

import type { Readable } from 'node:stream'
import { jsonIn } from '../reading/members-of.ts'
import { EndlessLine, wholeLines } from './whole-lines.ts'

/** The longest is the text of all metrics. */
const longestLine = 1024 * 1024

/** Says whether to read on. */
export type OnMessage = (message: unknown) => boolean

/**
 * Security boundary: the other process may be in the hands of an attacker. A line that is too long or no JSON is told as
 * `undefined`, and nothing is read after it. Node's own channel would end this process instead.
 */
export function readMessages(from: Readable, onMessage: OnMessage): void {
  from.on('error', () => {})
  // A pipe that breaks shows by the end of the process.
  void readAll(from, onMessage).catch(
    (error) => error instanceof EndlessLine && onMessage(undefined),
  )
}

async function readAll(from: Readable, onMessage: OnMessage): Promise<void> {
  for await (const lines of wholeLines(from, longestLine)) {
    for (const line of lines) {
      const message = jsonIn(line) ?? undefined
      if (!onMessage(message) || message === undefined) return
    }
  }
}

export function messageLine(message: object): string {
  return `${JSON.stringify(message)}\n`
}
