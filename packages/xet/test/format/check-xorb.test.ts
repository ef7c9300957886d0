/** Xorbs: only one that is exactly what it is called passes, with as little memory as a small one. */

import { rounds } from '@latchkey/testing/chance'
import {
  cutInto,
  makeXorb,
  numberBytes,
  randomBytes,
  randomChunks,
  wordyBytes,
  xorbFooter,
} from '@latchkey/testing/xet/making'
import { blake3 } from '@napi-rs/blake-hash'
import { describe, expect, test } from 'vitest'
import { type CheckedChunks, checkXorb } from '../../src/format/check-xorb.ts'
import type { ChunkTable } from '../../src/format/chunk-table.ts'
import { type FormatError, isFormatError } from '../../src/format/format-error.ts'
import type { Hash } from '../../src/format/hash.ts'
import { maxXorbFooterBytes, type XorbLimits, xorbLimits } from '../../src/format/limits.ts'
import { writeXorb } from '../../src/format/pack-chunk.ts'

const other = 'f'.repeat(64) as Hash

/** Comes in parts of this length. */
function check(
  bytes: Uint8Array,
  expected: Hash,
  partLength = 4096,
  limits: XorbLimits = xorbLimits,
) {
  let at = 0
  const read = (into: Uint8Array) => {
    const part = bytes.subarray(at, at + Math.min(partLength, into.length))
    into.set(part)
    at += part.length
    return part.length
  }
  return checkXorb(read, expected, limits)
}

function flawOf(checked: CheckedChunks | FormatError): string {
  return isFormatError(checked) ? checked.flaw : 'no flaw'
}

function hashesOf({ table }: { table: ChunkTable }): Hash[] {
  return Array.from({ length: table.count }, (_, index) => table.hash(index))
}

const mixed = makeXorb([
  ...randomChunks('mixed', 2, 100),
  wordyBytes('mixed', 500),
  numberBytes(1, 400),
  Buffer.alloc(300),
])

describe('refused', () => {
  test('what has another name', () => {
    expect(flawOf(check(mixed.bytes, other))).toBe(
      `The xorb's chunks make ${mixed.hash}, not ${other}.`,
    )
  })

  test('nothing, and a footer alone', () => {
    expect(flawOf(check(Buffer.alloc(0), '0'.repeat(64) as Hash))).toMatch(/has no chunk/)
    expect(flawOf(check(xorbFooter(), '0'.repeat(64) as Hash))).toMatch(/has no chunk/)
  })

  test('what is cut off, wherever that is', () => {
    for (let length = 0; length < mixed.bytes.length; length += 1) {
      expect(isFormatError(check(mixed.bytes.subarray(0, length), mixed.hash)), `${length}`).toBe(
        true,
      )
    }
  })

  test('what has anything behind its chunks that is no footer', () => {
    const more = [Buffer.alloc(1), Buffer.alloc(100), Buffer.from('XETBLO'), mixed.bytes]
    for (const rest of more) {
      expect(isFormatError(check(Buffer.concat([mixed.bytes, rest]), mixed.hash))).toBe(true)
    }
  })

  test('a footer that is cut off, longer than it says, or longer than any', () => {
    const footer = xorbFooter()
    const wrong = [
      ...Array.from({ length: footer.length - 1 }, (_, index) => footer.subarray(0, index + 1)),
      Buffer.concat([footer, Buffer.alloc(1)]),
      Buffer.concat([footer, mixed.bytes]),
      xorbFooter(maxXorbFooterBytes + 1),
      Buffer.concat([xorbFooter(maxXorbFooterBytes), Buffer.alloc(1)]),
    ]
    for (const rest of wrong) {
      const checked = check(Buffer.concat([mixed.bytes, rest]), mixed.hash)
      expect(isFormatError(checked), `${rest.length}`).toBe(true)
    }
  })

  test('chunks in another order, one twice, one less', () => {
    const [one = Buffer.alloc(0), two = Buffer.alloc(0)] = randomChunks('order', 2)
    const { hash } = makeXorb([one, two])
    for (const wrong of [[two, one], [one, one, two], [one, two, two], [one], [two]]) {
      expect(isFormatError(check(makeXorb(wrong).bytes, hash))).toBe(true)
    }
  })

  test('the same bytes cut into other chunks', () => {
    const data = randomBytes('cut', 10_000)
    const { hash } = makeXorb(cutInto(data, 1000))
    expect(isFormatError(check(makeXorb(cutInto(data, 2000)).bytes, hash))).toBe(true)
  })

  test('more chunks or bytes than a xorb may have', () => {
    const { bytes, hash } = makeXorb(randomChunks('limits', 4, 100))
    expect(flawOf(check(bytes, hash, 4096, { chunks: 3, bytes: 1000 }))).toBe(
      'Chunk 3 of the xorb, at byte 324, has a format error: a xorb has at most 3 chunks.',
    )
    expect(flawOf(check(bytes, hash, 4096, { chunks: 4, bytes: 431 }))).toBe(
      'Chunk 3 of the xorb, at byte 324, has a format error: it ends beyond the 431 bytes that a xorb may have.',
    )
    expect(isFormatError(check(bytes, hash, 4096, { chunks: 4, bytes: 432 }))).toBe(false)
  })

  test('a flaw says which chunk it is in, and where that begins', () => {
    const bytes = Buffer.from(mixed.bytes)
    bytes[mixed.table.packedStart(2)] = 9
    expect(flawOf(check(bytes, mixed.hash))).toBe(
      'Chunk 2 of the xorb, at byte 216, has a format error: its version is 9, not 0.',
    )
    expect(flawOf(check(mixed.bytes.subarray(0, 200), mixed.hash))).toBe(
      'Chunk 1 of the xorb, at byte 108, has a format error: the xorb is cut off after 92 of its 108 bytes.',
    )
  })

  test('a xorb in which a single byte has changed; at most the packing is another', () => {
    const sound = check(mixed.bytes, mixed.hash)
    if (isFormatError(sound)) throw new Error(sound.flaw)
    const unpackedEnd = mixed.table.packedStart(2)
    for (let offset = 0; offset < mixed.bytes.length; offset += 1) {
      // Until a soak, one of both.
      for (const bits of rounds(0, 1) === 1 ? [1, 0xff] : [offset % 2 === 0 ? 1 : 0xff]) {
        const bytes = Buffer.from(mixed.bytes)
        bytes[offset] = (bytes[offset] ?? 0) ^ bits
        const checked = check(bytes, mixed.hash)
        if (isFormatError(checked)) continue
        // LZ4 can say the same in two ways: the same chunks, but another object.
        expect(offset).toBeGreaterThan(unpackedEnd)
        expect(hashesOf(checked)).toEqual(hashesOf(sound))
        expect(checked.digest).not.toBe(sound.digest)
      }
    }
  })
})

describe('found to be sound', () => {
  test.each(['none', 'lz4', 'groupedLz4', undefined] as const)('packed as %s', (scheme) => {
    const chunks = [wordyBytes('a', 131_072), randomBytes('b', 70_000), Buffer.from('c')]
    const written = writeXorb(chunks, scheme)
    const checked = check(written.bytes, written.hash)
    expect(checked).toEqual({
      packedBytes: written.bytes.length,
      unpackedBytes: 201_073,
      table: written.table,
      digest: blake3(written.bytes).toString('hex'),
    })
    expect(isFormatError(checked) || hashesOf(checked)).toEqual(hashesOf(written))
  })

  test('however its bytes come', () => {
    for (const partLength of [1, 7, 8, 9, 100_000]) {
      expect(isFormatError(check(mixed.bytes, mixed.hash, partLength))).toBe(false)
    }
  })

  test('much larger than what is looked at at once, with chunks of every length', () => {
    const lengths = Array.from({ length: 60 }, (_, index) => 1 + ((index * 7919) % 131_072))
    const chunks = lengths.map((length) => randomBytes(length, length))
    const { bytes, hash } = makeXorb(chunks, { scheme: 'none' })
    expect(isFormatError(check(bytes, hash, 50_000))).toBe(false)
  })

  test('a footer is cut off, whatever it says', () => {
    const without = check(mixed.bytes, mixed.hash)
    for (const length of [11, 100, maxXorbFooterBytes]) {
      const whole = Buffer.concat([mixed.bytes, xorbFooter(length)])
      expect(check(whole, mixed.hash)).toEqual(without)
    }
  })

  test('two packings of the same chunks have one name and two digests', () => {
    const chunks = [wordyBytes('two', 5000)]
    const [one, two] = [writeXorb(chunks, 'none'), writeXorb(chunks, 'lz4')]
    const checked = [check(one.bytes, two.hash), check(two.bytes, one.hash)]
    const digests = checked.map((each) => (isFormatError(each) ? 'flaw' : each.digest))
    expect(new Set([...digests, 'flaw'])).toHaveLength(3)
  })

  test('the largest that clients make: 64 MiB before the headers, 8192 chunks', () => {
    const chunk = randomBytes('large', 8192)
    const written = makeXorb(
      Array.from({ length: 8192 }, () => chunk),
      { scheme: 'none' },
    )
    expect(written.bytes).toHaveLength(xorbLimits.bytes)
    expect(isFormatError(check(written.bytes, written.hash, 1 << 20))).toBe(false)
  })
})
