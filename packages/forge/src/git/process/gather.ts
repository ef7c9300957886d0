/** Reads a stream in larger parts than it comes in: git may write 8 KiB at a time, and to send a part costs more than its bytes. */

import type { Readable } from 'node:stream'

const enoughBytes = 64 * 1024
/** A stream that pauses is read as far as it has come. */
const pauseMs = 1

/** Ends when the stream does, well or not: how its process has ended is for others to say. */
export async function* gathered(stream: Readable): AsyncGenerator<Buffer, void, undefined> {
  let [parts, length, isOver]: [Buffer[], number, boolean] = [[], 0, false]
  let timer: NodeJS.Timeout | undefined
  let wake = () => {}
  const over = () => {
    isOver = true
    wake()
  }
  stream.on('data', (part: Buffer) => {
    parts.push(part)
    length += part.length
    if (length >= enoughBytes) {
      stream.pause()
      wake()
    } else if (parts.length === 1) timer = setTimeout(() => wake(), pauseMs)
  })
  stream.once('end', over).once('close', over).once('error', over)
  try {
    while (!isOver || length > 0) {
      if (!isOver && length < enoughBytes) {
        const waiting = new Promise<void>((resolve) => {
          wake = resolve
        })
        stream.resume()
        await waiting
        clearTimeout(timer)
      }
      if (length === 0) continue
      const part = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts, length)
      parts = []
      length = 0
      yield part
    }
  } finally {
    clearTimeout(timer)
    stream.destroy()
  }
}
