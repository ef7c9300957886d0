/** An assertion is an ordinary JWS: another library reads ours, and we read what it signs with the same key. */

import { createGate } from '@latchkey/gate'
import { isRefusal, Secret } from '@latchkey/protocol'
import { casUrl, issuer, keys, startOfTime, token } from '@latchkey/testing/gate/storage-tokens'
import { CompactSign, compactVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { readAssertion, signAssertion } from '../../src/gateway/assertion.ts'

const bytes = Buffer.alloc(32, 5)
const key = new Secret('assertion-key', bytes.toString('base64'))
const request = { method: 'GET', target: '/v1/xorbs/default/abc?a=%20b' }
const claims = {
  ...request,
  subject: 'ada-id',
  repository: 'models/acme/bert',
  repositoryUid: 'bertuid',
  ref: 'refs/heads/main',
  refUid: 'mainuid',
  scope: 'read',
  exp: startOfTime + 60,
}

function signedByJose(payload: string, header: object = {}): Promise<string> {
  return new CompactSign(Buffer.from(payload))
    .setProtectedHeader({ alg: 'HS256', typ: 'latchkey-assertion+jwt', ...header })
    .sign(bytes)
}

const read = (text: string) => readAssertion(text, request, key, startOfTime)

test('jose verifies what the gateway signs', async () => {
  const gate = createGate({ keys, issuer, casUrl, clock: () => startOfTime })
  const grant = await gate.verifyToken(token(), undefined)
  if (isRefusal(grant)) throw new Error(grant.detail)
  const text = signAssertion({ ...request, grant }, key, startOfTime)
  const { payload, protectedHeader } = await compactVerify(text, bytes, { algorithms: ['HS256'] })
  expect(protectedHeader).toEqual({ alg: 'HS256', typ: 'latchkey-assertion+jwt' })
  expect(JSON.parse(new TextDecoder().decode(payload))).toEqual(claims)
})

test('what jose signs with the key and our header is read', async () => {
  expect(read(await signedByJose(JSON.stringify(claims)))).toEqual(claims)
})

describe('signed with the right key, but', () => {
  test.each(['', 'no JSON', '{', 'null', '7', '"text"', '[]', '{}', '\ud800'])(
    'not over claims, it is nobody’s: %j',
    async (payload) => {
      expect(read(await signedByJose(payload))).toBeUndefined()
    },
  )

  test.each([{ typ: 'JWT' }, { kid: 'a' }, { cty: 'json' }])(
    'under another header, it is nobody’s: %j',
    async (header) => {
      expect(read(await signedByJose(JSON.stringify(claims), header))).toBeUndefined()
    },
  )
})
