/** Packed chunks: nothing is believed of them, and nothing is lost. */

import { numberBytes, randomBytes, wordyBytes } from '@latchkey/testing/xet/making'
import fc from 'fast-check'
import { compressFrameSync } from 'lz4-napi'
import { describe, expect, test } from 'vitest'
import { groupBytes, ungroupBytes } from '../../src/format/byte-groups.ts'
import { sameBytes, writeUint24 } from '../../src/format/bytes.ts'
import { readChunkHeader, type Scheme, writeChunkHeader } from '../../src/format/chunk-header.ts'
import { isFormatError } from '../../src/format/format-error.ts'
import { packChunk } from '../../src/format/pack-chunk.ts'
import { unpackWhole } from '../../src/format/unpack-chunk.ts'
import { unpackFrame, xxh32 } from '../../src/format/unpack-frame.ts'
import { type FrameKind, frameHeader, makeFrame, word } from './make-frame.ts'

const runs = process.env['LATCHKEY_SOAK'] ? 5000 : 200
const data = wordyBytes('data', 100_000)

function flawOf(value: unknown): string {
  return isFormatError(value) ? value.flaw : 'no flaw'
}

describe('refused', () => {
  // biome-ignore format: a table is read by its columns
  test.each<[string, number[], RegExp]>([
    ['another version',     [1, 5, 0, 0, 0, 5, 0, 0],       /version is 1/],
    ['the mark of a footer', [...Buffer.from('XETBLOB1')],  /version/],
    ['an unknown packing',  [0, 5, 0, 0, 3, 5, 0, 0],       /packing is 3/],
    ['no content',          [0, 5, 0, 0, 1, 0, 0, 0],       /would have 0 bytes/],
    ['one byte too many',   [0, 5, 0, 0, 1, 1, 0, 2],       /would have 131073 bytes/],
    ['the longest of all',  [0, 5, 0, 0, 1, 255, 255, 255], /would have 16777215 bytes/],
    ['nothing packed',      [0, 0, 0, 0, 1, 5, 0, 0],       /takes 0 bytes/],
    ['too much packed',     [0, 1, 0, 4, 1, 5, 0, 0],       /takes 262145 bytes/],
  ])('a chunk header with %s', (_, bytes, expected) => {
    expect(flawOf(readChunkHeader(Buffer.from(bytes)))).toMatch(expected)
  })

  test('a chunk that is longer or shorter than its header says', () => {
    for (const scheme of ['none', 'lz4', 'groupedLz4'] as const) {
      for (const wrong of [-1, 1]) {
        const chunk = packChunk(data, scheme)
        writeUint24(chunk, data.length + wrong, 5)
        expect(isFormatError(unpackWhole(chunk)), `${scheme} ${wrong}`).toBe(true)
      }
      const chunk = packChunk(data, scheme)
      expect(isFormatError(unpackWhole(chunk.subarray(0, -1)))).toBe(true)
      expect(isFormatError(unpackWhole(Buffer.concat([chunk, Buffer.alloc(1)])))).toBe(true)
    }
    expect(flawOf(unpackWhole(Buffer.alloc(7)))).toMatch(/cut off/)
  })

  test('a chunk that takes more or less than its header says, even where the content is right', () => {
    for (const wrong of [-1, 1]) {
      const chunk = packChunk(data, 'none')
      writeUint24(chunk, data.length + wrong, 1)
      expect(flawOf(unpackWhole(chunk))).toMatch(/takes 100000 bytes packed, not/)
    }
  })

  test('a stored block that is longer than what is left', () => {
    const stored = makeFrame(data, { isStored: true })
    expect(flawOf(unpackFrame(stored, 50_000))).toMatch(/has 100000 bytes, not 1 to 50000/)
  })

  const frame = makeFrame(data)
  const skippable = Buffer.concat([word(0x184d2a50), word(4), word(0)])
  // biome-ignore format: a table is read by its columns
  test.each<[string, Buffer, RegExp]>([
    ['that wants a dictionary',           makeFrame(data, { dictionary: 7 }),               /dictionary/],
    ['that announces another length',     makeFrame(data, { contentLength: 100_001n }),     /announces 100001/],
    ['that announces an absurd length',   makeFrame(data, { contentLength: 2n ** 63n }),    /announces/],
    ['with another one behind it',        Buffer.concat([frame, frame]),                    /does not end/],
    ['with half of it in a second one',   Buffer.concat([makeFrame(data.subarray(0, 50_000)), makeFrame(data.subarray(50_000))]), /unpacks to 50000/],
    ['behind a skippable one',            Buffer.concat([skippable, frame]),                /begin as an LZ4 frame/],
    ['before a skippable one',            Buffer.concat([frame, skippable]),                /does not end/],
    ['with a byte behind it',             Buffer.concat([frame, Buffer.alloc(1)]),          /does not end/],
    ['without its end mark',              frame.subarray(0, -4),                            /cut off/],
    ['of another version',                changed(frame, 4, 0x80),                          /unknown kind/],
    ['with a reserved bit',               changed(frame, 4, 0x02),                          /unknown kind/],
    ['with blocks of no known size',      changed(frame, 5, 0x40),                          /unknown kind/],
    ['with a wrong header checksum',      changed(frame, 6, 0x01),                          /checksum of its header/],
    ['with a wrong content checksum',     lastChanged(makeFrame(data, { hasContentChecksum: true })), /checksum of its content/],
    ['without its content checksum',      makeFrame(data, { hasContentChecksum: true }).subarray(0, -4), /does not end/],
    ['with checksums of its blocks',      makeFrame(data, { hasBlockChecksums: true }),     /checksums of its blocks/],
    ['with blocks longer than they may be', makeFrame(randomBytes(1, 100_000), { blockSize: 4, isStored: true }), /takes 100000 bytes/],
    ['with blocks that unpack to more than they may', makeFrame(data, { blockSize: 4 }),    /cannot be unpacked into the 65536/],
    ['of very many blocks',               makeFrame(data, { cutAt: 10_000 }),               /more than 8 blocks/],
    ['of nothing',                        makeFrame(Buffer.alloc(0)),                       /unpacks to 0/],
    ['with an empty stored block',        Buffer.concat([frameHeader({}), word(0x80000000), word(0)]), /takes 0 bytes/],
    ['with a block that unpacks to nothing', Buffer.concat([frameHeader({}), word(1), Buffer.alloc(1), frame.subarray(7)]), /has 0 bytes/],
  ])('a frame %s', (_, bytes, expected) => {
    expect(flawOf(unpackFrame(bytes, data.length))).toMatch(expected)
  })

  test('a frame that would grow beyond its chunk, before it has grown', () => {
    const bomb = makeFrame(Buffer.alloc(4 * 1024 * 1024))
    const many = makeFrame(Buffer.alloc(64 * 1024 * 1024), { cutAt: 4 * 1024 * 1024 })
    expect(bomb.length).toBeLessThan(20_000)
    const before = process.memoryUsage().arrayBuffers
    for (let count = 0; count < 200; count += 1) {
      for (const frame of [bomb, many]) {
        expect(flawOf(unpackFrame(frame, 131_072))).toMatch(/cannot be unpacked/)
      }
    }
    // 200 times 4 MiB would be 800 MiB.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024)
  })

  test('a block that refers to what was before its frame', () => {
    const linked = makeFrame(data, { isLinked: true, cutAt: 60_000 })
    const header = frameHeader({ isLinked: true })
    const second = header.length + 4 + linked.readUInt32LE(header.length)
    const only = Buffer.concat([header, linked.subarray(second)])
    expect(flawOf(unpackFrame(only, 40_000))).toMatch(/cannot be unpacked/)
  })
})

describe('unpacked', () => {
  const kinds: readonly FrameKind[] = [
    {},
    { isLinked: true, cutAt: 30_000 },
    { isLinked: true, cutAt: 13_000 },
    { cutAt: 65_536, blockSize: 4 },
    { cutAt: 14_000 },
    { cutAt: 65_536, blockSize: 5 },
    { hasContentChecksum: true },
    { contentLength: 100_000n },
    { isStored: true, hasContentChecksum: true, contentLength: 100_000n },
    { isLinked: true, hasContentChecksum: true, cutAt: 20_000 },
  ]
  test.each(kinds)('frames of kind %# give what was packed', (kind) => {
    expect(unpackFrame(makeFrame(data, kind), data.length)).toEqual(data)
  })

  test('frames of another maker, with and without a checksum', () => {
    for (const contentChecksum of [false, true]) {
      const frame = compressFrameSync(data, { contentChecksum })
      expect(unpackFrame(frame, data.length)).toEqual(data)
    }
  })

  test('every chunk, whatever it holds and however it is packed', () => {
    const schemes = fc.constantFrom<(Scheme | undefined)[]>('none', 'lz4', 'groupedLz4', undefined)
    const [wordy, random] = [wordyBytes('all', 131_072), randomBytes('all', 131_072)]
    const bytes = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 300 }),
      fc.nat({ max: 131_071 }).map((start) => wordy.subarray(start)),
      fc.nat({ max: 131_071 }).map((start) => random.subarray(start)),
    )
    fc.assert(
      fc.property(bytes, schemes, (chunk, scheme) => {
        const unpacked = unpackWhole(packChunk(chunk, scheme))
        expect(isFormatError(unpacked) ? unpacked : sameBytes(unpacked, chunk)).toBe(true)
      }),
      { numRuns: runs },
    )
  })

  test('what was grouped by fours, whatever is left over', () => {
    expect([...groupBytes(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10))]).toEqual([
      1, 5, 9, 2, 6, 10, 3, 7, 4, 8,
    ])
    for (let length = 0; length < 50; length += 1) {
      const bytes = randomBytes(length, length)
      expect(ungroupBytes(groupBytes(bytes))).toEqual(bytes)
    }
  })
})

describe('packed', () => {
  test.each([
    ['none', randomBytes('pack', 50_000)],
    ['lz4', wordyBytes('pack', 50_000)],
    ['groupedLz4', numberBytes(5, 50_000)],
  ] as const)('the smallest form is chosen: %s', (scheme, chunk) => {
    const packed = packChunk(chunk)
    expect(readChunkHeader(packed)).toEqual({
      scheme,
      packedLength: packed.length - 8,
      unpackedLength: 50_000,
    })
    expect(packed.length).toBeLessThanOrEqual(50_008)
  })

  test('a header says what was written into it', () => {
    const header = { scheme: 'lz4', packedLength: 262_144, unpackedLength: 131_072 } as const
    const bytes = Buffer.alloc(10)
    writeChunkHeader(header, bytes, 2)
    expect(readChunkHeader(bytes.subarray(2))).toEqual(header)
  })
})

test.each([
  ['', 0x02cc5d05],
  ['a', 0x550d7456],
  ['abc', 0x32d153ff],
  ['Nobody inspects the spammish repetition', 0xe2293b2f],
])('the checksum of %j is the known one', (text, sum) => {
  expect(xxh32(Buffer.from(text))).toBe(sum)
})

function changed(frame: Buffer, offset: number, bits: number): Buffer {
  const copy = Buffer.from(frame)
  copy[offset] = (copy[offset] ?? 0) ^ bits
  return copy
}

function lastChanged(frame: Buffer): Buffer {
  return changed(frame, frame.length - 1, 1)
}
