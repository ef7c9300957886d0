import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hashAt } from '../../src/format/hash.ts'
import type { KnownXorb } from '../../src/upload/known-chunks.ts'
import { type MadeFile, splitFiles } from '../../src/upload/shard-of.ts'

const xorbs = Array.from(
  { length: 8 },
  (_, index): KnownXorb => ({ name: hashAt(Buffer.alloc(32, index)), chunks: [] }),
)
const bounds = { files: 5, xorbs: 4, terms: 10, chunks: 40, bytes: 1500 }

const term = fc.record({ xorb: fc.constantFrom(...xorbs), chunks: fc.integer({ min: 1, max: 12 }) })
const file = fc.array(term, { maxLength: 4 }).map(
  (terms): MadeFile => ({
    hash: hashAt(Buffer.alloc(32, 9)),
    sha256: Buffer.alloc(32),
    isNew: true,
    terms: terms.map(({ xorb, chunks }) => ({
      ...{ xorb, start: 0, end: chunks, unpackedBytes: chunks },
      proof: Buffer.alloc(32),
    })),
  }),
)

function amountOf(files: readonly MadeFile[]): typeof bounds {
  const terms = files.flatMap((one) => one.terms)
  return {
    files: files.length,
    xorbs: new Set(terms.map(({ xorb }) => xorb)).size,
    terms: terms.length,
    chunks: terms.reduce((sum, { start, end }) => sum + end - start, 0),
    bytes: 48 * (3 + files.reduce((sum, one) => sum + 2 + 2 * one.terms.length, 0)),
  }
}

it('no group is larger than a shard may be, none is smaller than it must be, and the order stays', () => {
  const isTooLarge = (files: readonly MadeFile[]) =>
    Object.entries(amountOf(files)).some(([what, amount]) => amount > Reflect.get(bounds, what))
  fc.assert(
    fc.property(fc.array(file, { maxLength: 30 }), (files) => {
      const groups = [...splitFiles(files, bounds)]
      expect(groups.flat()).toEqual(files)
      for (const [index, group] of groups.entries()) {
        // A file that is too large for any shard is alone, and the storage says so.
        expect(group.length === 1 || !isTooLarge(group)).toBe(true)
        const next = groups[index + 1]?.[0]
        if (next !== undefined) expect(isTooLarge([...group, next])).toBe(true)
      }
    }),
  )
})
