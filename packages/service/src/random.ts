/** Randomness as an argument, and the ids made from it. */

import { randomFillSync } from 'node:crypto'

export type RandomBytes = (length: number) => Buffer

/** Reads the system's randomness in large portions: one call costs as much as a hundred ids. */
export function pooledRandom(): RandomBytes {
  const pool = Buffer.allocUnsafe(8192)
  let used = pool.length
  return (length) => {
    if (length > pool.length) throw new RangeError(`${length} random bytes at once`)
    if (used + length > pool.length) {
      randomFillSync(pool)
      used = 0
    }
    const bytes = Buffer.from(pool.subarray(used, used + length))
    pool.fill(0, used, used + length)
    used += length
    return bytes
  }
}

const letters = 'abcdefghijklmnopqrstuvwxyz234567'

/** 130 random bits as 26 lower-case letters and digits: safe in paths, arguments and file names. */
export function newId(randomBytes: RandomBytes): string {
  let id = ''
  for (const byte of randomBytes(26)) id += letters.charAt(byte & 31)
  return id
}
