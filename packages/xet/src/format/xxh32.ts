/** The checksum of LZ4 frames: xxHash with 32 bits and no seed. */

import { readInt32 } from './little-endian.ts'

const prime1 = 0x9e3779b1
const prime2 = 0x85ebca77
const prime3 = 0xc2b2ae3d
const prime4 = 0x27d4eb2f
const prime5 = 0x165667b1
const stripe = 16

export function xxh32(bytes: Uint8Array): number {
  const stripesEnd = bytes.length - (bytes.length % stripe)
  let hash = (stripesEnd > 0 ? hashStripes(bytes, stripesEnd) : prime5) + bytes.length
  let offset = stripesEnd
  for (; offset + 4 <= bytes.length; offset += 4) {
    hash = Math.imul(rotate(hash + Math.imul(readInt32(bytes, offset), prime3), 17), prime4)
  }
  for (; offset < bytes.length; offset += 1) {
    hash = Math.imul(rotate(hash + Math.imul(bytes[offset] ?? 0, prime5), 11), prime1)
  }
  return avalanche(hash)
}

function hashStripes(bytes: Uint8Array, end: number): number {
  let a = (prime1 + prime2) | 0
  let b = prime2 | 0
  let c = 0
  let d = -prime1 | 0
  for (let offset = 0; offset < end; offset += stripe) {
    a = round(a, readInt32(bytes, offset))
    b = round(b, readInt32(bytes, offset + 4))
    c = round(c, readInt32(bytes, offset + 8))
    d = round(d, readInt32(bytes, offset + 12))
  }
  return rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18)
}

function round(lane: number, word: number): number {
  return Math.imul(rotate(lane + Math.imul(word, prime2), 13), prime1)
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits))
}

function avalanche(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 15), prime2)
  mixed = Math.imul(mixed ^ (mixed >>> 13), prime3)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
