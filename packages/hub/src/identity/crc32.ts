/** CRC-32 of a short ASCII text. `node:zlib` has one, and takes milliseconds of every start. */

/** ISO 3309, bits reversed. */
const polynomial = 0xedb88320

/**
 * The contribution of four bits. The hub computes the checksum for every hub token that it does not
 * remember.
 */
const ofFourBits = Int32Array.from({ length: 16 }, (_, bits) => {
  let rest = bits
  for (let bit = 0; bit < 4; bit += 1) rest = (rest >>> 1) ^ (rest & 1 ? polynomial : 0)
  return rest
})

export function crc32(text: string): number {
  let rest = -1
  for (let index = 0; index < text.length; index += 1) {
    rest ^= text.charCodeAt(index)
    rest = (rest >>> 4) ^ (ofFourBits[rest & 15] ?? 0)
    rest = (rest >>> 4) ^ (ofFourBits[rest & 15] ?? 0)
  }
  return ~rest >>> 0
}
