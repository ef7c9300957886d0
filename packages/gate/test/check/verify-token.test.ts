/** A token that comes beside that of the request is judged as if it had come in Authorization, and opens no path. */

import { isRefusal, unixSeconds } from '@latchkey/protocol'
import { bert, movedClock, startOfTime, token } from '@latchkey/testing/gate/storage-tokens'
import { generateSigningKey } from '@latchkey/token/signing'
import { expect, test } from 'vitest'
import { asking, gateWith } from './ask.ts'

const otherKey = await generateSigningKey('ES256')

const wrong: Readonly<Record<string, string>> = {
  empty: '',
  'with a space': `${token()} x`,
  'two of them': `${token()}, Bearer ${token()}`,
  'cut off': token().slice(0, -4),
  forged: token({}, otherKey),
  'of another hub': token({ iss: 'https://other.example' }),
  'for another storage': token({ aud: 'https://other.example/r' }),
  over: token({ iat: unixSeconds(startOfTime - 900), exp: unixSeconds(startOfTime - 60) }),
  'of the future': token({ iat: unixSeconds(startOfTime + 60) }),
  'too long': 'x'.repeat(5000),
}

test.each(Object.entries(wrong))('%s is refused as in Authorization', async (_, text) => {
  const gate = gateWith()
  const judged = await gate.verifyToken(text, undefined)
  const checked = await gate.check(asking(`Bearer ${text}`))
  expect(isRefusal(judged) && judged.code).toBe('storage_token_invalid')
  expect(checked).toMatchObject({ ok: false, refusal: judged })
})

test('one that was taken back is refused', async () => {
  const gate = gateWith({ isRevoked: ({ tokenId }) => tokenId === 'taken' })
  const judged = await gate.verifyToken(token({ jti: 'taken' }), undefined)
  expect(judged).toMatchObject({ code: 'storage_token_invalid', reason: 'revoked' })
  expect(isRefusal(await gate.verifyToken(token(), undefined))).toBe(false)
})

test('one that was good is over when its time is', async () => {
  const clock = movedClock()
  const gate = gateWith({}, { clock: clock.now })
  const text = token()
  expect(await gate.verifyToken(text, undefined)).toMatchObject({ repositoryUid: bert.uid })
  clock.pass(931)
  expect(await gate.verifyToken(text, undefined)).toMatchObject({ reason: 'expired' })
})
