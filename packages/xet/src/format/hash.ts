/** A hash as requests and tables write it: four words of 64 bits, each in hexadecimal. */

/** 64 lower-case hexadecimal digits; the bytes of each 64-bit word are turned around. */
export type Hash = string & { readonly brand: 'hash' }

export const hashLength = 32

export function parseHash(text: string): Hash | undefined {
  return /^[0-9a-f]{64}$/.test(text) ? (text as Hash) : undefined
}

/** Used again and again: many hashes are written. */
const turned = Buffer.alloc(hashLength)

/** Of the 32 bytes that begin at `offset`. */
export function hashAt(bytes: Uint8Array, offset = 0): Hash {
  // Fewer would leave something of the last one.
  if (bytes.length < offset + hashLength) throw new RangeError('a hash has 32 bytes')
  turned.set(bytes.subarray(offset, offset + hashLength))
  return turned.swap64().toString('hex') as Hash
}

export function bytesOfHash(hash: Hash): Buffer {
  return Buffer.from(hash, 'hex').swap64()
}
