import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seal, unseal } from '../src/machine/seal.ts'

const key = randomBytes(32)

test('sealed bytes open with their key, at their place, and nowhere else', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.string(), fc.string(), (bytes, boundTo, other) => {
      const sealed = seal(bytes, { key, boundTo })
      expect(unseal(sealed, { key, boundTo })).toEqual(Buffer.from(bytes))
      expect(unseal(sealed, { key: randomBytes(32), boundTo })).toBeUndefined()
      if (other !== boundTo) expect(unseal(sealed, { key, boundTo: other })).toBeUndefined()
    }),
  )
})

test('no byte of what is sealed can be another one, and none can be left out', () => {
  const sealed = seal('a text', { key })
  for (const [index, byte] of sealed.entries()) {
    const altered = Buffer.from(sealed)
    altered[index] = byte ^ 1
    expect(unseal(altered, { key })).toBeUndefined()
    expect(unseal(sealed.subarray(0, index), { key })).toBeUndefined()
  }
})

test('the same text is sealed in another way each time', () => {
  expect(seal('a text', { key })).not.toEqual(seal('a text', { key }))
})
