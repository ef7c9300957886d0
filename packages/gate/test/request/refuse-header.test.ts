/** Headers that somebody behind the gate would believe may not come from outside. */

import { bearer } from '@latchkey/testing/gate/storage-tokens'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { refuseHeader } from '../../src/request/header-rules.ts'
import { asking, gateWith, outcome } from '../check/ask.ts'

const identity = [
  'Latchkey',
  'Latchkey-Subject',
  'Latchkey-Repository',
  'Latchkey-Repository-Uid',
  'Latchkey-Ref',
  'Latchkey-Ref-Uid',
  'Latchkey-Scope',
  'Latchkey-Assertion',
  'Latchkey-Anything-Later',
]

const override = [
  'X-HTTP-Method-Override',
  'X-HTTP-Method',
  'X-Method-Override',
  'X-Original-URL',
  'X-Rewrite-URL',
  'X-Amz-Copy-Source',
  'X-Amz-Copy-Source-Range',
  'X-Goog-Copy-Source',
  'X-Ms-Rename-Source',
  'X-Copy-From',
  'X-Copy-From-Account',
  'X-Ms-File-Rename-Source',
  'X-Upyun-Move-Source',
  'X-Oss-Symlink-Target',
  'X-Symlink-Target',
  'X-Object-Manifest',
  'Destination',
]

const upgrade = ['Upgrade', 'HTTP2-Settings']

/** The same name as other servers may read it. */
function spelledOtherwise(name: string, dashes: string) {
  return fc.array(fc.boolean(), { minLength: name.length, maxLength: name.length }).map((flips) =>
    [...name]
      .map((letter, index) => (flips[index] ? letter.toUpperCase() : letter.toLowerCase()))
      .map((letter, index) => (letter === '-' && flips[index] ? dashes : letter))
      .join(''),
  )
}

// conformance: Attacks / 14. An attacker names another method or path in a header
describe('is refused in any case, with underscores as with dashes', () => {
  // Whatever a header name may hold beside letters and digits (RFC 9110 §5.6.2).
  const separators = fc.constantFrom(...'_.~!#$%&*+^`|', "'")
  test.each([...identity, ...override])('%s', (name) => {
    fc.assert(
      fc.property(
        separators.chain((separator) => spelledOtherwise(name, separator)),
        (spelling) => {
          expect(refuseHeader(spelling)).toBeDefined()
        },
      ),
      { numRuns: 50 },
    )
  })

  test.each(upgrade)('%s', (name) => {
    fc.assert(
      fc.property(spelledOtherwise(name, '-'), (spelling) => {
        expect(refuseHeader(spelling)?.detail).toContain('Upgrade')
      }),
      { numRuns: 50 },
    )
  })
})

describe('passes', () => {
  test.each([
    ...['Host', 'User-Agent', 'Accept', 'Range', 'Content-Type', 'Expect', 'Connection'],
    ...['X-Xet-Session-Id', 'X-Request-Id', 'X-Forwarded-For', 'Link', 'Last-Modified'],
    ...['Latchkeys', 'X-Latchkey-Scope', 'X-Latch', 'X-Original', 'Upgrade-Insecure-Requests', ''],
    ...['X-Object-Meta-Name', 'X-Copy-Sources', 'X-Amz-Meta-Mycopy-Source', 'X-Move', 'X-Manifest'],
  ])('%j', (name) => {
    expect(refuseHeader(name)).toBeUndefined()
  })
})

test('a sentence tells what to do, whatever the header', () => {
  for (const name of [...identity, ...override, ...upgrade]) {
    expect(refuseHeader(name)?.detail).toMatch(/^[A-Z].*\. Leave .* out\.$/)
  }
})

describe('at the gate', () => {
  const gate = gateWith()

  test.each([...identity, 'latchkey_scope', ...override, ...upgrade])(
    'a request with %s is refused before its token is looked at',
    async (name) => {
      const authorization = ['Authorization', bearer()]
      const before = asking(undefined, { headers: [name, 'x', ...authorization] })
      const after = asking(undefined, { headers: [...authorization, name, ''] })
      expect(await outcome(gate, before)).toBe('bad_request')
      expect(await outcome(gate, after)).toBe('bad_request')
    },
  )
})
