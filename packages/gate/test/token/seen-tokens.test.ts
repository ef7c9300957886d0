/** A token that was seen before is not verified again, and expires all the same. */

import { isRefusal, unixSeconds } from '@latchkey/protocol'
import { rounds } from '@latchkey/testing/chance'
import {
  audience,
  bearer,
  casUrl,
  issuer,
  movedClock,
  startOfTime,
  token,
} from '@latchkey/testing/gate/storage-tokens'
import { describe, expect, test } from 'vitest'
import { createGate } from '../../src/check/create-gate.ts'
import { fixedKeys } from '../../src/keys/key-source.ts'
import { bearerVerifier, failureLimit, maxSeen } from '../../src/token/verify-bearer.ts'
import { asking, outcome, writePath } from '../check/ask.ts'
import { CountingKeys } from './counting-keys.ts'

const lifetime = 900

function opened(leewaySeconds = 30) {
  const keys = new CountingKeys()
  const clock = movedClock()
  const gate = createGate({ keys, issuer, casUrl, leewaySeconds, clock: clock.now })
  return { keys, clock, gate }
}

describe('a token that was seen before', () => {
  test('is not verified again', async () => {
    const { keys, gate } = opened()
    const request = asking(bearer())
    for (let count = 0; count < 5; count += 1) expect(await outcome(gate, request)).toBe('admitted')
    expect(keys.verifications).toBe(1)
  })

  test('gives the same grant as the first time', async () => {
    const { gate } = opened()
    const request = asking(bearer())
    expect(await gate.check(request)).toEqual(await gate.check(request))
  })

  test('is judged anew for every request it comes with', async () => {
    const { keys, gate } = opened()
    const credential = bearer()
    expect(await outcome(gate, asking(credential))).toBe('admitted')
    const elsewhere = { target: '/r/otheruid/mainuid/v1/chunks/default/abc' }
    expect(await outcome(gate, asking(credential, elsewhere))).toBe('repository_mismatch')
    const writing = { method: 'POST', target: writePath }
    expect(await outcome(gate, asking(credential, writing))).toBe('insufficient_scope')
    expect(keys.verifications).toBe(1)
  })

  test.each([
    ['again', bearer()],
    ['another', bearer({ scope: 'write' })],
    ['an empty one', ''],
  ])('opens nothing when a second header comes with it: %s', async (_, second) => {
    const { gate } = opened()
    const credential = bearer()
    expect(await outcome(gate, asking(credential))).toBe('admitted')
    const headers = ['Authorization', credential, 'Authorization', second]
    expect(await outcome(gate, asking(undefined, { headers }))).toBe('storage_token_invalid')
  })

  test('opens nothing to one that differs in its last character', async () => {
    const { gate } = opened()
    const good = token()
    await gate.check(asking(`Bearer ${good}`))
    for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_') {
      const changed = good.slice(0, -1) + last
      const expected = changed === good ? 'admitted' : 'storage_token_invalid'
      expect(await outcome(gate, asking(`Bearer ${changed}`))).toBe(expected)
    }
  })
})

test('a token that was refused before is verified again', async () => {
  const { keys, gate } = opened()
  const forged = `${bearer().slice(0, -8)}AAAAAAAA`
  for (let count = 0; count < 3; count += 1) {
    expect(await outcome(gate, asking(forged))).toBe('storage_token_invalid')
  }
  expect(keys.verifications).toBe(3)
})

describe.each([0, 1, 30, 60])('with a leeway of %i s', (leeway) => {
  test('a seen token expires to the second, and is not verified for it', async () => {
    const { keys, clock, gate } = opened(leeway)
    const request = asking(bearer())
    await gate.check(request)
    clock.pass(lifetime + leeway - 1)
    expect(await outcome(gate, request)).toBe('admitted')
    clock.pass(1)
    expect(await gate.check(request)).toMatchObject({
      ok: false,
      refusal: {
        code: 'storage_token_invalid',
        detail: expect.stringContaining('expired'),
      },
    })
    expect(keys.verifications).toBe(1)
  })

  test('an unseen token expires at the same second', async () => {
    const { clock, gate } = opened(leeway)
    clock.pass(lifetime + leeway - 1)
    expect(await outcome(gate, asking(bearer()))).toBe('admitted')
    clock.pass(1)
    expect(await outcome(gate, asking(bearer({ jti: 'unseen' })))).toBe('storage_token_invalid')
  })

  test('a token issued in the future is admitted to the second', async () => {
    const { clock, gate } = opened(leeway)
    const exp = unixSeconds(startOfTime + 10_000)
    const early = asking(bearer({ iat: unixSeconds(startOfTime + leeway + 1), exp }))
    expect(await outcome(gate, early)).toBe('storage_token_invalid')
    clock.pass(1)
    expect(await outcome(gate, early)).toBe('admitted')
  })
})

test('only the tokens that came last are remembered, 20 000 unless told otherwise', async () => {
  const most = rounds(200, maxSeen)
  const [keys, clock] = [new CountingKeys(), movedClock().now]
  const verify = bearerVerifier(
    {
      ...{ keys: fixedKeys(keys), issuer, audience, leewaySeconds: 30, clock },
      failures: failureLimit(0, () => clock() * 1000),
    },
    most,
  )
  const credentials = Array.from({ length: most + 1 }, (_, index) => bearer({ jti: `t-${index}` }))
  const ask = async (index: number) => {
    const found = await verify([credentials[index] ?? ''], undefined, clock())
    expect(isRefusal(found)).toBe(false)
    return keys.verifications
  }
  const batch = 50
  for (let from = 0; from <= most; from += batch) {
    const count = Math.min(batch, most + 1 - from)
    await Promise.all(Array.from({ length: count }, (_, index) => ask(from + index)))
  }
  expect(keys.verifications).toBe(most + 1)
  expect(await ask(most)).toBe(most + 1)
  expect(await ask(batch)).toBe(most + 1)
  // One too many came, so one was forgotten, among the first that were asked together.
  const firstAgain = Array.from({ length: batch }, (_, index) => index)
  for (const index of firstAgain.reverse()) await ask(index)
  expect(keys.verifications).toBeGreaterThan(most + 1)
  expect(maxSeen).toBe(20_000)
})
