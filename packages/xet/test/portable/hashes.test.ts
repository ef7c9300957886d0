import fc from 'fast-check'
import { expect, it } from 'vitest'
import * as native from '../../src/platform/node/hashes.ts'
import * as portable from '../../src/platform/portable/hashes.ts'

const keys = [1, 2].map((byte) => new Uint8Array(32).fill(byte))
const hashesUnder = keys.map((key) => portable.blake3Under(key))
const theirs = keys.map((key) => native.blake3Under(key))
const bytes = fc.uint8Array({ maxLength: 5000, size: 'max' })

it('a hash that is asked for before the hashes are loaded is a mistake that is told', () => {
  expect(() => hashesUnder[0]?.(new Uint8Array(1))).toThrow(/loadHashes/)
})

it('hashes of bytes and of text are those of the native code, under each key', async () => {
  await portable.loadHashes()
  fc.assert(
    fc.property(fc.oneof(bytes, fc.string()), fc.nat({ max: 1 }), (data, key) => {
      expect([...(hashesUnder[key]?.(data) ?? [])]).toEqual([...(theirs[key]?.(data) ?? [])])
    }),
  )
})

it('a hash keeps its bytes when the next is made', async () => {
  await portable.loadHashes()
  const first = hashesUnder[0]?.('first') ?? new Uint8Array()
  const kept = Uint8Array.from(first)
  hashesUnder[0]?.('second')
  expect(first).toEqual(kept)
})

it('what comes in parts is hashed as the native code does, several files at once', async () => {
  await portable.loadHashes()
  const run = async (parts: readonly Uint8Array[], { newBlake3, newSha256 }: typeof native) => {
    const [blake3, sha256] = [newBlake3(), await newSha256()]
    for (const part of parts) {
      blake3.update(part)
      sha256.update(part)
    }
    return { blake3: blake3.digest('hex'), sha256: [...sha256.digest()] }
  }
  await fc.assert(
    fc.asyncProperty(fc.array(bytes, { maxLength: 5 }), async (parts) => {
      expect(await run(parts, portable)).toEqual(await run(parts, native))
    }),
    { numRuns: 20 },
  )
  const [one, other] = [await portable.newSha256(), await portable.newSha256()]
  one.update(Uint8Array.of(1))
  other.update(Uint8Array.of(2))
  const [nativeOne] = [await native.newSha256()]
  nativeOne.update(Uint8Array.of(1))
  expect([...one.digest()]).toEqual([...nativeOne.digest()])
})
