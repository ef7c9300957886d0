/** Ways to break bytes, the same for the same seed. */

import { createHash } from 'node:crypto'
import { randomBytes } from '@latchkey/testing/xet/making'

export interface Breaks {
  below(limit: number): number
  /** A copy that is changed, cut, stretched, or random from beginning to end. */
  broken(bytes: Buffer): Buffer
}

export function seededBreaks(seed: string): Breaks {
  let state = createHash('sha256').update(seed).digest().readUInt32LE(0) | 1
  const below = (limit: number) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % Math.max(1, limit)
  }
  const ways: ((bytes: Buffer) => Buffer)[] = [
    (bytes) => changed(bytes, () => below(256)),
    (bytes) => changed(bytes, () => [0, 1, 0x7f, 0x80, 0xff][below(5)] ?? 0),
    (bytes) => bytes.subarray(0, below(bytes.length)),
    (bytes) => Buffer.concat([bytes, randomBytes(below(1000), below(100) + 1)]),
    (bytes) => moved(bytes),
    (bytes) =>
      Buffer.concat([bytes.subarray(0, below(100)), randomBytes(below(1000), below(3000))]),
  ]
  /** Mostly near the beginning, where lengths and kinds stand. */
  const somewhere = (length: number) => below(below(2) === 0 ? Math.min(length, 80) : length)
  const changed = (bytes: Buffer, value: () => number) => {
    const copy = Buffer.from(bytes)
    for (let left = below(4); left >= 0; left -= 1) copy[somewhere(copy.length)] = value()
    return copy
  }
  const moved = (bytes: Buffer) => {
    const copy = Buffer.from(bytes)
    const [from, to, length] = [below(copy.length), below(copy.length), below(200)]
    copy.copyWithin(to, from, from + length)
    return copy
  }
  return { below, broken: (bytes) => Buffer.from(ways[below(ways.length)]?.(bytes) ?? bytes) }
}
