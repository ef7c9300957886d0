import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { getChunks } from '@huggingface/xetchunk-wasm'
import { randomBytes } from '@latchkey/testing/xet/making'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { endOfChunk } from '../../src/cutting/cut-slots.ts'
import { fileCutter } from '../../src/cutting/file-cutter.ts'
import { sameBytes } from '../../src/format/bytes.ts'
import { chunkHash } from '../../src/format/hashing.ts'
import { splitMix } from './split-mix.ts'

interface Vectors {
  readonly random: { readonly seed: string; readonly bytes: number; readonly ends: number[] }
  readonly constant: { readonly byte: number; readonly bytes: number; readonly ends: number[] }
  readonly pattern: { readonly hex: string; readonly bytes: number; readonly ends: number[][] }
}

const vectors: Vectors = JSON.parse(
  readFileSync(new URL('chunk-ends.json', import.meta.url), 'utf8'),
)
const shortest = 8192
const longest = 131_072

const cutter = fileCutter()
afterAll(cutter.end)

/** In parts of these lengths, over and over. */
async function endsOf(data: Uint8Array, lengths: readonly number[] = [data.length]) {
  const ends: number[] = []
  let position = 0
  let sha256: Uint8Array | undefined
  for await (const batch of cutter.cut(partsOf(data, lengths))) {
    for (const { bytes, hash } of batch.chunks) {
      expect(Buffer.compare(bytes, data.subarray(position, position + bytes.length))).toBe(0)
      expect(sameBytes(chunkHash(bytes), hash)).toBe(true)
      position += bytes.length
      ends.push(position)
    }
    expect(sha256).toBeUndefined()
    sha256 = batch.sha256
  }
  expect(
    createHash('sha256')
      .update(data)
      .digest()
      .equals(sha256 ?? Buffer.of()),
  ).toBe(true)
  return ends
}

async function* partsOf(data: Uint8Array, lengths: readonly number[]) {
  for (let start = 0, index = 0; start < data.length; index += 1) {
    const length = lengths[index % lengths.length] ?? 1
    yield data.subarray(start, start + length)
    start += length
  }
}

describe('where the reference implementation ends a chunk, this one does', () => {
  it('in random data', async () => {
    const { seed, bytes, ends } = vectors.random
    expect(await endsOf(splitMix(bytes, BigInt(seed)))).toEqual(ends)
  })

  it('in data that is the same byte throughout', async () => {
    const { byte, bytes, ends } = vectors.constant
    expect(await endsOf(Buffer.alloc(bytes, byte))).toEqual(ends)
  })

  it('in data that would end a chunk again and again before it may', async () => {
    for (const [padding, ends] of vectors.pattern.ends.entries()) {
      const unit = Buffer.concat([Buffer.from(vectors.pattern.hex, 'hex'), Buffer.alloc(padding)])
      expect(await endsOf(Buffer.alloc(vectors.pattern.bytes, unit))).toEqual(ends)
    }
  })
})

it.each([1, 3, 4, 5])(
  'a chunk that would end after 8191 bytes goes on, one of 8192 ends: %d',
  (seed) => {
    const data = randomBytes(seed, 300_000)
    // What ends it are the 64 bytes before, so the beginning can be moved.
    const end = endOfChunk(data, 0)
    expect(end).toBeLessThan(longest)
    expect(endOfChunk(data, end - shortest + 1)).toBeGreaterThan(end)
    expect(endOfChunk(data, end - shortest)).toBe(end)
  },
)

it('nothing at all has no chunk', async () => {
  expect(await endsOf(Buffer.alloc(0))).toEqual([])
})

it.each([
  ['random', randomBytes(7, 3_000_000)],
  ['zero', Buffer.alloc(1_000_000)],
  ['text', Buffer.from(textOf(300_000))],
])('the JavaScript client ends its chunks of %s data in the same places', (_, data) => {
  let start = 0
  let compared = 0
  for (const { length } of getChunks(data)) {
    const isLast = start + length === data.length
    // It ends some a few bytes before the least length, which the reference implementation never does.
    if (length >= shortest || isLast) {
      expect(endOfChunk(data, start)).toBe(start + length)
      compared += 1
    }
    start += length
  }
  expect(compared).toBeGreaterThan(5)
})

it('the parts in which data comes change nothing', async () => {
  const data = randomBytes(3, 800_000)
  const whole = await endsOf(data)
  const lengths = fc.array(fc.integer({ min: 1, max: 300_000 }), { minLength: 1, maxLength: 5 })
  const runs = process.env['LATCHKEY_SOAK'] ? 1000 : 8
  await fc.assert(
    fc.asyncProperty(lengths, async (given) => {
      expect(
        await endsOf(
          data,
          given.map((one) => Math.max(one, 500)),
        ),
      ).toEqual(whole)
    }),
    { numRuns: runs },
  )
})

it('a change in the middle leaves the chunks before and after it as they are', async () => {
  const data = randomBytes(5, 3_000_000)
  const changed = Buffer.concat([
    data.subarray(0, 1_500_000),
    Buffer.from('more'),
    data.subarray(1_500_000),
  ])
  const [before, after] = [await endsOf(data), await endsOf(changed)]
  const moved = after.map((end) => (end > 1_500_000 ? end - 4 : end))
  expect(before.filter((end) => !moved.includes(end)).length).toBeLessThan(6)
})

function textOf(words: number): string {
  const numbers = randomBytes(11, words * 2)
  const word = (index: number) => (numbers.readUInt16LE(index * 2) % 5000).toString(36)
  return Array.from({ length: words }, (_, index) => word(index)).join(' ')
}
