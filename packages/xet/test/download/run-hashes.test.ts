import { expect, it } from 'vitest'
import { runHashes } from '../../src/download/walk-run.ts'
import { chunkHash } from '../../src/format/hashing.ts'
import { merkleTree } from '../../src/format/merkle-tree.ts'

it('runs that are announced take no memory before their chunks come', () => {
  const before = process.memoryUsage().arrayBuffers
  const announced = Array.from({ length: 1000 }, () => runHashes({ start: 0, end: 8192 }))
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000)
  expect(announced.every(({ count }) => count === 0)).toBe(true)
})

it('however many chunks come, each keeps its hash and its length', () => {
  const chunks = Array.from({ length: 300 }, (_, index) => Buffer.alloc(index + 1, index))
  const [hashes, expected, tree] = [runHashes({ start: 5, end: 305 }), merkleTree(), merkleTree()]
  for (const chunk of chunks) hashes.add(chunkHash(chunk), chunk.length)
  for (const chunk of chunks.slice(10, 290)) expected.add(chunkHash(chunk), chunk.length)
  hashes.addTo(tree, 15, 295)
  expect(tree.root()).toEqual(expected.root())
})
