import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseSecretKey } from '../src/index.ts'

const parse = (text: string) => parseSecretKey('assertion-key', text)?.reveal()

describe('a secret key', () => {
  test('is 32 bytes in base64, whichever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64')
        expect(parse(text)).toBe(text)
      }),
    )
  })

  test('has the kind it was read as, and may have blanks around it', () => {
    const text = Buffer.alloc(32, 255).toString('base64')
    expect(parseSecretKey('master-key', ` ${text}\n`)?.toString()).toBe('[master-key]')
    expect(parse(` ${text}\n`)).toBe(text)
  })

  test.each([0, 16, 31, 33, 64])('is not %i bytes', (length) => {
    expect(parse(Buffer.alloc(length, 7).toString('base64'))).toBeUndefined()
  })

  test.each([
    Buffer.alloc(32, 251).toString('base64url'),
    `${'A'.repeat(42)}B=`,
    Buffer.alloc(32).toString('hex'),
    `${'A'.repeat(21)} ${'A'.repeat(21)}=`,
    `${'A'.repeat(43)}`,
    `A${'A'.repeat(43)}=`,
    `${'A'.repeat(43)}=A`,
    `${'A'.repeat(42)}a=`,
    'A'.repeat(44),
  ])('has one spelling: not %s', (text) => {
    expect(parse(text)).toBeUndefined()
  })
})
