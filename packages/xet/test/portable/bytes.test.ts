import fc from 'fast-check'
import { expect, it } from 'vitest'
import * as native from '../../src/platform/node/bytes.ts'
import * as portable from '../../src/platform/portable/bytes.ts'

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 })

it('a hash is written as Node writes it, wherever it stands, and read back', () => {
  fc.assert(
    fc.property(hash, fc.nat({ max: 9 }), (bytes, offset) => {
      const moved = Uint8Array.from([...Array<number>(offset).fill(9), ...bytes, 9])
      const hex = portable.hexOfWords(moved, offset)
      expect(hex).toBe(native.hexOfWords(moved, offset))
      expect(portable.bytesOfWords(hex)).toEqual(bytes)
    }),
  )
})
