/** Pointers of large files: one text for one file. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  formatPointer,
  maxPointerBytes,
  parseLfsOid,
  parsePointer,
} from '../../src/words/pointer.ts'
import { rounds } from '../rounds.ts'

const oid = '4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393'
const version = 'version https://git-lfs.github.com/spec/v1\n'
const written = `${version}oid sha256:${oid}\nsize 12345\n`

const oids = fc
  .string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 })
  .map((text) => parseLfsOid(text) ?? expect.unreachable())

describe('a pointer', () => {
  test('is written as git-lfs writes it', () => {
    const pointer = { oid: parseLfsOid(oid) ?? expect.unreachable(), sizeBytes: 12345 }
    expect(formatPointer(pointer)).toBe(written)
    expect(parsePointer(written)).toEqual(pointer)
  })

  test.each([
    ['empty', ''],
    ['without its last line end', written.trimEnd()],
    ['with a line more', `${written}\n`],
    ['with an extension', written.replace('oid', `ext-0-foo sha256:${oid}\noid`)],
    ['with another version', written.replace('git-lfs.github.com', 'hawser.github.com')],
    ['with a hash in capitals', written.replace(oid, oid.toUpperCase())],
    ['with another hash', written.replace('sha256', 'sha512')],
    ['with a zero in front of its size', written.replace('12345', '012345')],
    ['with a sign', written.replace('12345', '+12345')],
    ['with a size that no number holds', written.replace('12345', '9007199254740992')],
    ['with line ends of Windows', written.replaceAll('\n', '\r\n')],
    ['in another order', `${version}size 12345\noid sha256:${oid}\n`],
    ['with a long size', written.replace('12345', '1'.repeat(1000))],
  ])('is none %s', (_, text) => {
    expect(parsePointer(text)).toBeUndefined()
    expect(parsePointer(Buffer.from(text))).toBeUndefined()
  })

  test('comes back as it was written, and no other text is it', () => {
    fc.assert(
      fc.property(oids, fc.maxSafeNat(), fc.nat(), fc.nat(255), (hash, sizeBytes, at, byte) => {
        const text = formatPointer({ oid: hash, sizeBytes })
        expect(text.length).toBeLessThanOrEqual(maxPointerBytes)
        expect(parsePointer(Buffer.from(text))).toEqual({ oid: hash, sizeBytes })
        const changed = Buffer.from(text)
        changed[at % changed.length] = byte
        const read = parsePointer(changed)
        if (read !== undefined) expect(formatPointer(read)).toBe(changed.toString('latin1'))
      }),
      { numRuns: rounds(300, 10_000) },
    )
  })
})
