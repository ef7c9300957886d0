/** Hashes: the ones that the format and the real clients know. */

import { randomBytes } from '@latchkey/testing/xet/making'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sameBytes } from '../../src/format/bytes.ts'
import { bytesOfHash, type Hash, hashAt, parseHash } from '../../src/format/hash.ts'
import { chunkHash, fileHash, isEligible, rangeHash } from '../../src/format/hashing.ts'
import { merkleTree } from '../../src/format/merkle-tree.ts'
import { batchRoot, type Leaf } from './batch-root.ts'
import { theirs } from './their-hashes.ts'
import vectors from './vectors.json' with { type: 'json' }

const runs = process.env['LATCHKEY_SOAK'] ? 500 : 50

function rootOf(leaves: readonly Leaf[]): Buffer {
  const tree = merkleTree()
  for (const { hash, size } of leaves) tree.add(hash, size)
  return Buffer.from(tree.root())
}

describe('written as text', () => {
  test.each(['', 'ab', 'g'.repeat(64), 'A'.repeat(64), `${'0'.repeat(64)}\n`, '0'.repeat(65)])(
    '%j is no hash',
    (text) => {
      expect(parseHash(text)).toBeUndefined()
    },
  )

  test.each(vectors.written)('every word of a hash is turned around, there and back', (written) => {
    const bytes = Buffer.from(written.bytes, 'hex')
    expect(hashAt(bytes)).toBe(written.text)
    expect(sameBytes(bytesOfHash(written.text as Hash), bytes)).toBe(true)
    expect(hashAt(Buffer.concat([Buffer.alloc(3), bytes]), 3)).toBe(written.text)
  })
})

describe('of chunks, runs of chunks and trees', () => {
  test.each(vectors.chunks)('a chunk of "$text" has its known hash', ({ text, times, hash }) => {
    expect(hashAt(chunkHash(Buffer.from(text.repeat(times))))).toBe(hash)
  })

  test.each(vectors.ranges)('a run of chunks has its known hash', ({ chunks, hash }) => {
    const bytes = chunks.map((chunk) => bytesOfHash(chunk as Hash))
    expect(hashAt(rangeHash(Buffer.concat(bytes)))).toBe(hash)
  })

  test.each(vectors.trees)('xorbs and files have their known hash', ({ chunks, xorb, file }) => {
    const tree = merkleTree()
    for (const [hash, size] of chunks as [Hash, number][]) tree.add(bytesOfHash(hash), size)
    expect(hashAt(tree.root())).toBe(xorb)
    // A hash of zeros over one chunk does not occur; over none it is the hash of nothing.
    if (Number(`0x${xorb}`) > 0 || chunks.length === 0) {
      expect(hashAt(fileHash(tree.root()))).toBe(file)
    }
  })

  test('a file without chunks has the hash of nothing', () => {
    expect(hashAt(fileHash(merkleTree().root()))).toBe('0'.repeat(64))
  })

  test('the real client computes the same for random data', () => {
    const data = randomBytes('real', 6_000_000)
    const chunks = theirs.getChunks(data)
    const leaves = chunks.map(({ hash, length }) => ({ hash, size: length }))
    let offset = 0
    for (const { hash, length } of chunks) {
      const chunk = data.subarray(offset, offset + length)
      expect(hashAt(chunkHash(chunk))).toBe(theirs.hashToHex(hash))
      offset += length
    }
    const hashes = chunks.map(({ hash }) => hash)
    const range = theirs.verificationHash(hashes)
    expect(hashAt(rootOf(leaves))).toBe(theirs.hashToHex(theirs.xorbHash(chunks)))
    expect(hashAt(fileHash(rootOf(leaves)))).toBe(theirs.hashToHex(theirs.fileHash(chunks)))
    expect(hashAt(rangeHash(Buffer.concat(hashes)))).toBe(theirs.hashToHex(range))
  })
})

describe('a tree that grows chunk by chunk', () => {
  const leaves = fc.array(
    fc.record({
      hash: fc.uint8Array({ minLength: 32, maxLength: 32 }),
      size: fc.nat({ max: 131_072 }),
    }),
    { maxLength: 200, size: 'max' },
  )

  test('has the root that all chunks at once would have', () => {
    fc.assert(
      fc.property(leaves, (all) => {
        expect(rootOf(all)).toEqual(batchRoot(all))
      }),
      { numRuns: runs },
    )
  })

  test('has it at every size from nothing on, and asking does not change it', () => {
    const all = Array.from({ length: 200 }, (_, index) => ({
      hash: chunkHash(Buffer.from(`${index}`)),
      size: index,
    }))
    const tree = merkleTree()
    for (const [count, { hash, size }] of all.entries()) {
      expect(Buffer.from(tree.root())).toEqual(batchRoot(all.slice(0, count)))
      tree.add(hash, size)
    }
  })

  test('keeps the hashes that were added, not the memory they stood in', () => {
    const memory = Buffer.from(chunkHash(Buffer.from('one')))
    const tree = merkleTree()
    tree.add(memory, 3)
    memory.fill(0)
    expect(hashAt(tree.root())).toBe(hashAt(chunkHash(Buffer.from('one'))))
  })
})

test('clients may ask for chunks whose last word can be divided by 1024, and for no others', () => {
  for (let word = 0; word < 5000; word += 1) {
    const hash = Buffer.alloc(32, 1)
    hash.writeBigUInt64LE(BigInt(word) + 2n ** 60n, 24)
    if (isEligible(hash) !== (word % 1024 === 0)) expect.fail(`${word}`)
  }
})
