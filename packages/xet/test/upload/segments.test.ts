import { expect, it } from 'vitest'
import { fileSegments } from '../../src/upload/xorb-packer.ts'

const mebibyte = 1024 * 1024

/** Where segments begin, for chunks of this length. */
function starts(chunkBytes: number, fileBytes: number): number[] {
  const segmentAt = fileSegments()
  const begun = new Set<object>()
  const found: number[] = []
  for (let at = 0; at < fileBytes; at += chunkBytes) {
    const segment = segmentAt(at)
    if (!begun.has(segment)) found.push(Math.floor(at / mebibyte))
    begun.add(segment)
  }
  return found
}

it('segments have 16 MiB, and then 60, wherever chunks begin', () => {
  const expected = [0, 16, 32, 92, 152, 212, 272, 332]
  for (const chunkBytes of [65_536, 100_000, 131_072]) {
    expect(starts(chunkBytes, 380 * mebibyte)).toEqual(expected)
  }
})

it('a file of 110 GiB has no more xorbs than a shard may name', () => {
  expect(starts(mebibyte, 110 * 1024 * mebibyte).length).toBeLessThanOrEqual(2048)
})
