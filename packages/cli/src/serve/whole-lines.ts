/** The lines of another process, whole, however its bytes arrive. */

import type { Readable } from 'node:stream'

const newline = 0x0a

/** Each piece of a stream takes memory beside its bytes, so many short ones are put together. */
const mostPieces = 1024

export class EndlessLine extends Error {
  override readonly name = 'EndlessLine'
}

/** Gives the lines that one piece of the stream has completed, without their newlines. See `wholeText`. */
export async function* wholeLines(
  from: Readable,
  longest: number,
): AsyncGenerator<readonly string[], void, void> {
  for await (const text of wholeText(from, longest)) yield text.split('\n')
}

/**
 * Gives the lines that one piece of the stream has completed as one text, without the last newline. A line that was cut by the end of the
 * stream is left out. Throws `EndlessLine` when a line does not end. Every byte is searched once: a process that writes byte by byte
 * must not keep this one busy.
 */
export async function* wholeText(
  from: Readable,
  longest: number,
): AsyncGenerator<string, void, void> {
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
    if (begun.length > mostPieces) begun = [Buffer.concat(begun)]
  }
}
