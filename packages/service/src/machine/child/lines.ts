/** The lines of another process, whole, however its bytes arrive: messages, one a line as JSON, and lines of a log. */

import type { Readable } from 'node:stream'
import type { DrainedLines } from '../../observe/line-writer.ts'

const newline = 0x0a

/** Each piece of a stream takes memory beside its bytes, so many short ones are put together. */
const maxPieces = 1024

class EndlessLine extends Error {
  override readonly name = 'EndlessLine'
}

/**
 * Gives the lines that one piece of the stream has completed as one text, without the last newline. A line that was cut by the end of the
 * stream is left out. Throws `EndlessLine` when a line does not end. Every byte is searched once: a process that writes byte by byte
 * must not keep this one busy.
 */
async function* wholeText(from: Readable, longest: number): AsyncGenerator<string, void, void> {
  let begun: Buffer[] = []
  let length = 0
  for await (const piece of from as AsyncIterable<Buffer>) {
    const end = piece.lastIndexOf(newline)
    if (end >= 0) {
      const whole = Buffer.concat([...begun, piece.subarray(0, end)])
      begun = []
      length = 0
      yield whole.toString()
    }
    begun.push(piece.subarray(end + 1))
    length += piece.length - (end + 1)
    if (length > longest) throw new EndlessLine('a line of the other process is too long')
    if (begun.length > maxPieces) begun = [Buffer.concat(begun)]
  }
}

/** The longest is the text of all metrics. */
const maxMessageLength = 1024 * 1024

/** Says whether to read on. */
type OnMessage = (message: unknown) => boolean

/**
 * Security boundary: the other process may be in the hands of an attacker. A line that is too long or no JSON is reported
 * as `undefined`, and nothing is read after it. Node's own channel would end this process instead.
 */
export function readMessages(from: Readable, onMessage: OnMessage): void {
  from.on('error', () => {})
  // A pipe that breaks shows by the end of the process.
  void readAll(from, onMessage).catch(
    (error) => error instanceof EndlessLine && onMessage(undefined),
  )
}

async function readAll(from: Readable, onMessage: OnMessage): Promise<void> {
  for await (const text of wholeText(from, maxMessageLength)) {
    for (const line of text.split('\n')) {
      const message = jsonIn(line)
      if (!onMessage(message) || message === undefined) return
    }
  }
}

function jsonIn(line: string): unknown {
  try {
    return JSON.parse(line) ?? undefined
  } catch {
    return undefined
  }
}

export function messageLine(message: object): string {
  return `${JSON.stringify(message)}\n`
}

/** No line of ours is nearly as long. */
const maxLineLength = 256 * 1024

interface Forwarding {
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
  for await (const text of wholeText(from, maxLineLength)) {
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
