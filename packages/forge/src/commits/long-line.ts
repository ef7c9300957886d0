/** A long line of a commit: a file in base64, decoded in slices, so that no other request waits for all of it. */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import { yieldToEventLoop } from '@latchkey/service/limits/slices'
import { largestRegularBytes } from '../large-files/upload-modes.ts'
import { decodeBase64 } from '../words/base64.ts'
import { quoted } from '../words/quoted.ts'
import { type CommitLine, readCommitLine } from './commit-line.ts'

/** Longer than a header can be. A line of this length takes a few milliseconds. */
const maxWholeBytes = 512 * 1024

/** Letters of base64 in one slice: whole groups of four. */
const sliceLetters = 256 * 1024

const quote = 0x22

export async function readAnyCommitLine(line: Uint8Array): Promise<CommitLine | Refusal> {
  if (line.length <= maxWholeBytes) return readCommitLine(line)
  const text = maxTextLength(line)
  // Without its content the line is short, and is read like any other.
  const rest = Buffer.concat([line.subarray(0, text.start), line.subarray(text.end)])
  const read = rest.length > maxWholeBytes ? notOneText() : readCommitLine(rest)
  if (isRefusal(read)) return read
  if (read.kind !== 'file' || read.content.length > 0 || !isBase64(rest)) return notOneText()
  const letters = text.end - text.start
  if (letters > Math.ceil(largestRegularBytes / 3) * 4) {
    const why = `is larger than ${largestRegularBytes} bytes. Upload it as a large file`
    return refuse('body_too_large', `The file ${quoted(read.path)} ${why}.`)
  }
  const content = await decodeInSlices(line.subarray(text.start, text.end))
  return content === undefined
    ? refuse('bad_request', 'content must be padded base64.')
    : { ...read, content }
}

function notOneText(): Refusal {
  const detail = `A line of more than ${maxWholeBytes} bytes must be a file whose encoding is "base64".`
  return refuse('bad_request', detail)
}

/** A line of a file has a dozen texts. */
const maxTexts = 32

/** Base64 has neither quotes nor backslashes, so its text ends at the next quote. Only the first texts are looked at. */
function maxTextLength(line: Uint8Array): { readonly start: number; readonly end: number } {
  let longest = { start: 0, end: 0 }
  let start = line.indexOf(quote) + 1
  for (let texts = 0; texts < maxTexts; texts += 1) {
    const end = line.indexOf(quote, start)
    if (end === -1) break
    if (end - start > longest.end - longest.start) longest = { start, end }
    if (end - start > line.length / 2) break
    start = end + 1
  }
  return longest
}

/** Only where the content was taken out of it, and the encoding says so. */
function isBase64(rest: Uint8Array): boolean {
  const { value } = JSON.parse(Buffer.from(rest).toString('utf8'))
  return value.content === '' && value.encoding === 'base64'
}

async function decodeInSlices(letters: Uint8Array): Promise<Uint8Array | undefined> {
  const all = Buffer.from(letters.buffer, letters.byteOffset, letters.length)
  const content = Buffer.allocUnsafeSlow(Math.floor((letters.length * 3) / 4))
  let length = 0
  for (let at = 0; at < all.length; at += sliceLetters) {
    const text = all.toString('latin1', at, at + sliceLetters)
    const isLast = at + sliceLetters >= all.length
    const bytes = decodeBase64(text)
    // Padding ends the text.
    if (bytes === undefined || (!isLast && text.endsWith('='))) return undefined
    content.set(bytes, length)
    length += bytes.length
    await yieldToEventLoop()
  }
  return content.subarray(0, length)
}
