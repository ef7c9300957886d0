/** A hash as requests and tables write it: four words of 64 bits, each in hexadecimal. */

import { bytesOfWords, hexOfWords } from '#platform/bytes'

/** 64 lower-case hexadecimal digits; the bytes of each 64-bit word are turned around. */
export type Hash = string & { readonly brand: 'hash' }

export const hashLength = 32

/**
 * @example
 * ```ts
 * parseHash('0'.repeat(64)) // a Hash
 * parseHash('0123') // undefined
 * ```
 */
export function parseHash(text: string): Hash | undefined {
  return /^[0-9a-f]{64}$/.test(text) ? (text as Hash) : undefined
}

/** The hash in the 32 bytes from `offset` on. */
export function hashAt(bytes: Uint8Array, offset = 0): Hash {
  if (bytes.length < offset + hashLength) throw new RangeError('a hash has 32 bytes')
  return hexOfWords(bytes, offset) as Hash
}

export function bytesOfHash(hash: Hash): Uint8Array<ArrayBuffer> {
  return bytesOfWords(hash)
}

/** A run of chunks of one xorb: `start` to before `end`. */
export interface Term {
  readonly xorb: Hash
  readonly start: number
  readonly end: number
  readonly unpackedBytes: number
}
