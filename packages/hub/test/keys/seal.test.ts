/** Signing keys at rest: opened by their master key alone, and only in the row they were sealed for. */

import { randomBytes } from 'node:crypto'
import { Secret } from '@latchkey/protocol'
import { algorithms } from '@latchkey/token'
import { generateSigningKey } from '@latchkey/token/signing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sealKey, unsealKey } from '../../src/keys/seal.ts'

const newMaster = () => new Secret('master-key', randomBytes(32).toString('base64'))
const master = newMaster()

describe.each(algorithms)('a sealed %s key', (alg) => {
  test('opens with its master key as the key it was', async () => {
    const key = await generateSigningKey(alg)
    const opened = await unsealKey({ kid: key.kid, alg, sealed: sealKey(key, master) }, master)
    expect(opened?.kid).toBe(key.kid)
    expect(opened?.publicJwk).toEqual(key.publicJwk)
  })

  test('does not open with another master key', async () => {
    const key = await generateSigningKey(alg)
    const row = { kid: key.kid, alg, sealed: sealKey(key, master) }
    expect(await unsealKey(row, newMaster())).toBeUndefined()
  })

  test('does not open under another kid or algorithm', async () => {
    const [key, other] = [await generateSigningKey(alg), await generateSigningKey(alg)]
    const sealed = sealKey(key, master)
    expect(await unsealKey({ kid: other.kid, alg, sealed }, master)).toBeUndefined()
    for (const another of algorithms.filter((each) => each !== alg)) {
      expect(await unsealKey({ kid: key.kid, alg: another, sealed }, master)).toBeUndefined()
    }
  })

  test('does not open once any bit of it has changed, or any end is missing', async () => {
    const key = await generateSigningKey(alg)
    const bytes = Buffer.from(sealKey(key, master), 'base64')
    const row = (sealed: Buffer) => ({ kid: key.kid, alg, sealed: sealed.toString('base64') })
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length * 8 - 1), async (bit) => {
        const changed = Buffer.from(bytes)
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        expect(await unsealKey(row(changed), master)).toBeUndefined()
      }),
      { numRuns: 200 },
    )
    for (const length of [0, 1, 11, 12, 27, 28, bytes.length - 1]) {
      expect(await unsealKey(row(bytes.subarray(0, length)), master)).toBeUndefined()
    }
  })

  test('is never sealed the same way twice', async () => {
    const key = await generateSigningKey(alg)
    const sealed = Array.from({ length: 100 }, () => sealKey(key, master))
    expect(new Set(sealed).size).toBe(100)
  })
})
