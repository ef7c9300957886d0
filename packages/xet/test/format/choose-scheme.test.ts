import { numberBytes, randomBytes, wordyBytes } from '@latchkey/testing/xet/making'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { chooseScheme, packBytes, packChunk, writePacked } from '../../src/format/pack-chunk.ts'
import { unpackWhole } from '../../src/format/unpack-chunk.ts'

const lengths = [1, 1000, 16_384, 16_385, 65_537, 131_072]

// biome-ignore format: a table is read by its columns
it.each([
  ['random bytes', 'none',       (length: number) => randomBytes(length, length)],
  ['words',        'lz4',        (length: number) => wordyBytes(length, length)],
  ['one byte',     'lz4',        (length: number) => Buffer.alloc(length, 7)],
  ['numbers',      'groupedLz4', (length: number) => numberBytes(length, length)],
] as const)('%s get the packing %s, however long they are', (_, scheme, make) => {
  for (const length of lengths.slice(1)) expect(chooseScheme(make(length)), `${length}`).toBe(scheme)
})

it('random bytes are seen as such ten thousand times', () => {
  const bytes = randomBytes('many', 20_000 + 10_000 * 64)
  for (let at = 0; at < 10_000 * 64; at += 64) {
    if (chooseScheme(bytes.subarray(at, at + 20_000)) !== 'none') expect.fail(`at ${at}`)
  }
})

it('words between random bytes are found, wherever they stand', () => {
  for (const at of [0, 32_768, 65_536, 98_304]) {
    const chunk = randomBytes(at, 131_072)
    wordyBytes(at, 32_768).copy(chunk, at)
    expect(chooseScheme(chunk), `${at}`).not.toBe('none')
  }
})

it('a chunk comes back as it was, and takes never more than it is', () => {
  const parts = fc.array(
    fc.tuple(fc.constantFrom(randomBytes, wordyBytes), fc.integer({ min: 0, max: 40_000 })),
    { minLength: 1, maxLength: 3 },
  )
  fc.assert(
    fc.property(parts, (given) => {
      const chunk = Buffer.concat([...given.map(([make, length]) => make(1, length)), Buffer.of(1)])
      const packed = packBytes(chunk)
      const whole = Buffer.alloc(8 + packed.bytes.length)
      writePacked(packed, chunk.length, whole)
      expect(unpackWhole(whole)).toEqual(chunk)
      expect(packed.bytes.length).toBeLessThanOrEqual(chunk.length)
    }),
    { numRuns: 50 },
  )
})

it('what is chosen is little larger than the smallest', () => {
  for (const make of [wordyBytes, numberBytes]) {
    const chunk = make(3, 100_000)
    expect(packBytes(chunk).bytes.length).toBeLessThan(packChunk(chunk).length * 1.02)
  }
})
