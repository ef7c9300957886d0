/** A stream cut into lines, with never more than one of them in memory. */

import { type Refusal, refuse } from '@latchkey/protocol'
import { OpenBytes } from '../words/open-bytes.ts'

export interface LineBounds {
  /** Bytes of one line, without its end. */
  readonly longest: number
  /** Lines in all, empty ones too. */
  readonly most: number
}

/**
 * For a commit. Its longest line holds a file of 10 MiB in base64. A hundred thousand lines are four
 * times what other hubs take in one commit. How long the body may be is the server's to say.
 */
export const commitLineBounds: LineBounds = { longest: 16 * 1024 * 1024, most: 100_000 }

const lineFeed = 0x0a

/** Lines that are not empty; a refusal is the last that it gives. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  { longest, most }: LineBounds = commitLineBounds,
): AsyncGenerator<Uint8Array | Refusal, void, undefined> {
  const open = new OpenBytes()
  let lines = 0
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; ) {
      const found = chunk.indexOf(lineFeed, start)
      const part = chunk.subarray(start, found === -1 ? chunk.length : found)
      start += part.length + 1
      if (open.length + part.length > longest) return yield tooLong(lines + 1, longest)
      if (found === -1) {
        open.append(part)
        continue
      }
      lines += 1
      if (lines > most) return yield tooMany(most)
      const line = wholeLine(open, part)
      if (line.length > 0) yield line
    }
  }
  if (open.length > 0) yield lines >= most ? tooMany(most) : open.take()
}

/** A line that came in one part is not copied. */
function wholeLine(open: OpenBytes, part: Uint8Array): Uint8Array {
  if (open.length === 0) return part
  open.append(part)
  return open.take()
}

function tooLong(line: number, longest: number): Refusal {
  return refuse('body_too_large', `Line ${line} of the body is longer than ${longest} bytes.`)
}

function tooMany(most: number): Refusal {
  return refuse('body_too_large', `The body has more than ${most} lines. Make several commits.`)
}
