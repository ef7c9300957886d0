/** Not one byte of a valid token can change and still verify. */

import { describe, expect, test } from 'vitest'
import { verifyToken } from '../src/index.ts'
import { type SigningKey, signToken } from '../src/signing.ts'
import { claims, edKey, esKey, expected } from './forge.ts'

const soak = Boolean(process.env['LATCHKEY_SOAK'])
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

const foreign = ['.', '=', ' ', '\u0000', 'é']

/** The neighbours share most bits with a letter, so they find a lenient decoder first. Until a soak each position meets one that is no letter. */
function replacements(letter: string, position: number): readonly string[] {
  const at = alphabet.indexOf(letter)
  const near = [at ^ 1, at ^ 2, at ^ 32].map((other) => alphabet.charAt(other))
  const [one = ''] = foreign.slice(position % foreign.length)
  const all = soak ? [...alphabet, ...foreign] : [...near, one]
  return all.filter((other) => other !== letter)
}

async function survivors(changed: readonly string[]): Promise<readonly string[]> {
  const verified = await Promise.all(changed.map((token) => verifyToken(token, expected)))
  return changed.filter((_, at) => verified[at]?.ok)
}

const issued = (key: SigningKey) => signToken(claims, key).reveal()

describe.each<readonly [string, string]>([
  ['signed with ES256', issued(esKey)],
  ['signed with EdDSA', issued(edKey)],
])('of a token %s', (_, token) => {
  // conformance: Guarantees / A token has one spelling
  // conformance: Attacks / 22. An attacker forges a token or changes its spelling or algorithm
  test('no byte can be another one, at any position', async () => {
    expect((await verifyToken(token, expected)).ok).toBe(true)
    for (const [at, letter] of [...token].entries()) {
      const changed = replacements(letter, at).map(
        (other) => token.slice(0, at) + other + token.slice(at + 1),
      )
      expect(await survivors(changed)).toEqual([])
    }
  }, 600_000)

  test('no byte can be left out, doubled or swapped with the next', async () => {
    for (const [at, letter] of [...token].entries()) {
      const before = token.slice(0, at)
      const after = token.slice(at + 1)
      const swapped = before + after.charAt(0) + letter + after.slice(1)
      const changed = [before + after, before + letter + letter + after, swapped]
      expect(await survivors(changed.filter((text) => text !== token))).toEqual([])
    }
  }, 600_000)
})
