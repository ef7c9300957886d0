/** A list of cut-offs has one spelling, and only that is read. */

import { journalNumber } from '@latchkey/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  cutOffHash,
  cutOffKinds,
  forEver,
  listHash,
  type RevocationList,
  readRevocationList,
  writeRevocationList,
} from '../src/index.ts'

const number = fc.oneof(fc.maxSafeNat(), fc.constantFrom(0, 1, forEver)).map(journalNumber)
const place = fc.record({ kind: fc.constantFrom(...cutOffKinds), id: fc.string() })
const list: fc.Arbitrary<RevocationList> = fc
  .array(fc.tuple(place.map(cutOffHash), number), { maxLength: 30 })
  .map((entries) => new Map(entries))

/** Lists that are equal as maps, whatever their order. */
function entriesOf(read: RevocationList | undefined): readonly [string, number][] {
  return [...(read ?? [])].sort()
}

describe('the bytes of a list', () => {
  test('are read as what was written', () => {
    fc.assert(
      fc.property(list, (given) => {
        const read = readRevocationList(writeRevocationList(given))
        expect(read).toBeDefined()
        expect(entriesOf(read)).toEqual(entriesOf(given))
      }),
    )
  })

  test('are the same for the same cut-offs in any order, and 40 for each', () => {
    fc.assert(
      fc.property(list, (given) => {
        const bytes = writeRevocationList(given)
        expect(bytes).toHaveLength(40 * given.size)
        expect(writeRevocationList(new Map([...given].reverse()))).toEqual(bytes)
      }),
    )
  })

  test('are either read and written again as they were, or not read at all', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.uint8Array({ minLength: 80, maxLength: 80 }),
      fc.tuple(list, fc.nat(), fc.nat(255)).map(([given, at, byte]) => {
        const written = writeRevocationList(given)
        if (written.length > 0) written[at % written.length] = byte
        return written
      }),
    )
    fc.assert(
      fc.property(bytes, (given) => {
        const read = readRevocationList(given)
        if (read !== undefined) expect(writeRevocationList(read)).toEqual(Buffer.from(given))
      }),
      { numRuns: 500 },
    )
  })

  test('are found within a larger buffer', () => {
    const bytes = writeRevocationList(new Map([[cutOffHash({ kind: 'all', id: '' }), forEver]]))
    const inside = Buffer.concat([Buffer.alloc(7, 1), bytes]).subarray(7)
    expect(readRevocationList(inside)?.size).toBe(1)
  })
})

describe('bytes that are no list', () => {
  const entry = (hash: string, written: bigint) => {
    const bytes = Buffer.alloc(40)
    bytes.write(hash, 'hex')
    bytes.writeBigUInt64BE(written, 32)
    return bytes
  }
  const [low, high] = ['01'.repeat(32), 'fe'.repeat(32)] as const

  test('of the right order are read', () => {
    const bytes = Buffer.concat([entry(low, 1n), entry(high, 2n)])
    expect(readRevocationList(bytes)?.size).toBe(2)
    expect(readRevocationList(Buffer.alloc(0))?.size).toBe(0)
  })

  test.each([
    ['out of order', [entry(high, 1n), entry(low, 2n)]],
    ['with the same hash twice', [entry(low, 1n), entry(low, 2n)]],
    ['with a number of 2^53', [entry(low, 2n ** 53n)]],
    ['with a number of 2^64 - 1', [entry(low, 2n ** 64n - 1n)]],
    ['cut by a byte', [entry(low, 1n).subarray(0, 39)]],
    ['with a byte too many', [entry(low, 1n), Buffer.alloc(1)]],
  ])('are refused: %s', (_, parts) => {
    expect(readRevocationList(Buffer.concat(parts))).toBeUndefined()
  })
})

test('10 000 cut-offs are 400 000 bytes', () => {
  const many = Array.from({ length: 10_000 }, (_, index) => {
    const id = `id-${index}`
    return [cutOffHash({ kind: 'token', id }), journalNumber(index)] as const
  })
  const bytes = writeRevocationList(new Map(many))
  expect(bytes).toHaveLength(400_000)
  expect(readRevocationList(bytes)?.size).toBe(10_000)
})

test('a list is published under the SHA-256 of its bytes', () => {
  expect(listHash(Buffer.alloc(0))).toBe('47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU')
})

test('kind and id are one text, and no two kinds share one', () => {
  expect(cutOffHash({ kind: 'all', id: '' })).toBe('83D4uj_1BSwAWrkNvNOEcSx_6xXqCrb8PZosguW38Co')
  fc.assert(
    fc.property(place, place, (one, other) => {
      const isSame = one.kind === other.kind && one.id === other.id
      expect(cutOffHash(one) === cutOffHash(other)).toBe(isSame)
    }),
  )
})
