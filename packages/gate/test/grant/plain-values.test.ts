/** Users of the gate give and get plain numbers and strings: these tests compile without a type of another package. */

import { readAssertion, signAssertion } from '@latchkey/gateway/assertion'
import { bearer, casUrl, issuer, keys, startOfTime } from '@latchkey/testing/gate/storage-tokens'
import { expect, test } from 'vitest'
import { createGate, type Grant } from '../../src/index.ts'
import { asking } from '../check/ask.ts'

const grant: Grant = {
  ...{ scope: 'read', repository: 'models/acme/bert', repositoryUid: 'bert', namespace: 'acme' },
  ...{ ref: 'refs/heads/main', refUid: 'main', refUids: ['main'], commit: '0'.repeat(40) },
  ...{ asOf: 1, sees: [{ uid: 'base', before: 1 }], subject: 'ada', hubToken: 'laptop' },
  ...{ tokenId: 'one', kid: 'key', issuedAt: 1, expiresAt: 2 },
}

test('a grant made of plain values is checked like one of a token', () => {
  const seen: Grant[] = []
  const gate = createGate({ keys, issuer, casUrl, isRevoked: (one) => seen.push(one) === 0 })
  expect(gate.checkGrant(grant)).toBeUndefined()
})

test('a clock may count parts of a second', async () => {
  const at = (seconds: number) => createGate({ keys, issuer, casUrl, clock: () => seconds })
  expect(await at(startOfTime + 0.5).check(asking(bearer()))).toMatchObject({ ok: true })
  const expired = { ok: false, refusal: { reason: 'expired' } }
  expect(await at(startOfTime + 930.5).check(asking(bearer()))).toMatchObject(expired)
})

test.each([Number.NaN, Number.POSITIVE_INFINITY])(
  'a clock that shows %d admits no request',
  async (now) => {
    const gate = createGate({ keys, issuer, casUrl, clock: () => now })
    await expect(gate.check(asking(bearer()))).rejects.toThrow(RangeError)
  },
)

test('an assertion is read by the same plain values as it was signed with', async () => {
  const { Secret } = await import('@latchkey/protocol')
  const key = Buffer.alloc(32, 1).toString('base64')
  const request = { method: 'GET', target: '/v1/x' }
  const text = signAssertion({ grant, ...request }, new Secret('assertion-key', key), 100)
  expect(readAssertion(text, request, key, 100)).toMatchObject({ subject: 'ada', exp: 160 })
})
