import { crc32 as crc32OfNode } from 'node:zlib'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { crc32 } from '../../src/identity/crc32.ts'

it('is the CRC-32 of zlib, for every ASCII text', () => {
  expect(crc32('123456789')).toBe(0xcbf43926)
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
      expect(crc32(text)).toBe(crc32OfNode(text))
    }),
  )
})
