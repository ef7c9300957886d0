/** Checks the hashes that a git client wants before git reads them: with protocol 2 git serves every object that it has. */

import { type ObjectHash, parseObjectHash } from '../objects/object-hash.ts'

export type IsOffered = (hash: ObjectHash) => Promise<boolean>

const longestLine = 65_520
const noObject = '0'.repeat(40)

/**
 * Passes on the body of a request, line by line. A hash that is not offered becomes one that no object has, so git answers as
 * for an object that is not there. Lines that git would not read are left out, with all that follows.
 */
export async function* checkWants(
  body: AsyncIterable<Uint8Array>,
  isOffered: IsOffered,
): AsyncGenerator<Uint8Array, void, undefined> {
  let rest = Buffer.alloc(0)
  for await (const part of body) {
    const bytes = Buffer.concat([rest, part])
    let at = 0
    let length = lineLength(bytes, at)
    while (typeof length === 'number' && at + length <= bytes.length) {
      await checkLine(bytes.subarray(at + 4, at + length), isOffered)
      at += length
      length = lineLength(bytes, at)
    }
    if (at > 0) yield bytes.subarray(0, at)
    if (length === 'none') return
    rest = bytes.subarray(at)
  }
}

/** With the four digits that say it. */
export function lineLength(bytes: Buffer, at: number): number | 'unknown' | 'none' {
  if (bytes.length - at < 4) return 'unknown'
  const digits = bytes.toString('latin1', at, at + 4)
  const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : 3
  // 0, 1 and 2 stand alone: they end a request and its parts.
  if (length < 3) return 4
  return length > 3 && length <= longestLine ? length : 'none'
}

async function checkLine(line: Buffer, isOffered: IsOffered): Promise<void> {
  if (line.toString('latin1', 0, want.length) !== want) return
  const end = want.length + noObject.length
  const hash = parseObjectHash(line.toString('latin1', want.length, end).toLowerCase())
  const isGood = hash !== undefined && (await isOffered(hash))
  if (!isGood) line.write(noObject.slice(0, Math.max(0, line.length - want.length)), want.length)
}

const want = 'want '
