import { describe, expect, it } from 'vitest'
import { hashAt } from '../../src/format/hash.ts'
import { chunkHash, rangeHash } from '../../src/format/hashing.ts'
import { fileRecipe } from '../../src/upload/file-recipe.ts'
import type { KnownXorb } from '../../src/upload/known-chunks.ts'

const hashes = Array.from({ length: 10 }, (_, index) => chunkHash(Buffer.from([index])))
const [first, second] = hashes.map((hash) => hashAt(hash))

function xorbWith(count: number): KnownXorb {
  return { name: undefined, chunks: hashes.slice(0, count).map((hash) => hashAt(hash)) }
}

function addTo(recipe: ReturnType<typeof fileRecipe>, xorb: KnownXorb, ...places: number[]): void {
  for (const index of places) recipe.add({ xorb, index }, hashes[index] ?? Buffer.alloc(0), 100)
}

it('chunks that are neighbours in a xorb are one term, others are not', () => {
  const [recipe, xorb, other] = [fileRecipe(), xorbWith(10), xorbWith(10)]
  addTo(recipe, xorb, 3, 4, 5, 7, 6)
  addTo(recipe, other, 7)
  const runs = recipe.finish().map(({ start, end, unpackedBytes }) => [start, end, unpackedBytes])
  expect(runs).toEqual([
    [3, 6, 300],
    [7, 8, 100],
    [6, 7, 100],
    [7, 8, 100],
  ])
})

it('a term is proved by the hashes of its chunks', () => {
  const recipe = fileRecipe()
  addTo(recipe, xorbWith(10), 0, 1, 2)
  expect(recipe.finish()[0]?.proof).toEqual(rangeHash(Buffer.concat(hashes.slice(0, 3))))
})

describe('the last term goes on', () => {
  it('only where the next chunk stands behind it', () => {
    const [recipe, xorb] = [fileRecipe(), xorbWith(2)]
    if (first === undefined || second === undefined) throw new Error('no hashes')
    expect(recipe.continuation(first)).toBeUndefined()
    addTo(recipe, xorb, 0)
    expect(recipe.continuation(first)).toBeUndefined()
    expect(recipe.continuation(second)).toEqual({ xorb, index: 1 })
    addTo(recipe, xorb, 1)
    expect(recipe.continuation(second)).toBeUndefined()
  })
})

it('a file is in as many pieces as it likes up to 128, then in one for eight chunks at most', () => {
  const [recipe, xorb] = [fileRecipe(), xorbWith(10)]
  const pieces = () => recipe.isScattered()
  for (let count = 0; count < 129; count += 1) {
    expect(pieces()).toBe(false)
    addTo(recipe, xorb, 0)
  }
  expect(pieces()).toBe(true)
  let chunks = 129
  for (; pieces(); chunks += 1) recipe.add({ xorb, index: chunks - 128 }, Buffer.alloc(32), 100)
  expect(chunks).toBe(128 * 8)
})
