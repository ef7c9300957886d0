/** Forged tokens of one address are told to wait; right tokens pass, and the work for both is bounded. */

import { refuse, unixSeconds } from '@latchkey/protocol'
import {
  bearer,
  casUrl,
  claims,
  issuer,
  movedClock,
  signingKey,
  startOfTime,
} from '@latchkey/testing/gate/storage-tokens'
import { describe, expect, test } from 'vitest'
import { createGate } from '../../src/check/create-gate.ts'
import { asking, outcome } from '../check/ask.ts'
import { tokenOfUnknownKey } from '../keys/hub-gate.ts'
import { CountingKeys } from './counting-keys.ts'

const attacker = '203.0.113.7'
const perMinute = 6

const [, , signature] = bearer().split('.')

/** Under the signature of another token: to sign each would take longer than to refuse it. */
function forgery(jti: string): string {
  const payload = Buffer.from(JSON.stringify(claims({ jti }))).toString('base64url')
  return `Bearer ${signingKey.header}.${payload}.${signature}`
}

function opened(failuresPerMinute?: number) {
  const keys = new CountingKeys()
  const clock = movedClock()
  const limit = failuresPerMinute === undefined ? {} : { failuresPerMinute }
  const gate = createGate({ keys, issuer, casUrl, clock: clock.now, ...limit })
  let forgeries = 0
  const forged = () => {
    forgeries += 1
    return forgery(`forged-${forgeries}`)
  }
  const ask = (credential: string, address: string | undefined = attacker) =>
    outcome(gate, asking(credential, { address }))
  const forge = async (times: number, address: string | undefined = attacker) => {
    for (let count = 0; count < times; count += 1) await ask(forged(), address)
  }
  return { keys, clock, gate, ask, forge, forged }
}

describe('an address that has forged too often', () => {
  // conformance: Attacks / 22. An attacker forges a token or changes its spelling or algorithm
  test('is told to wait for every further forged token', async () => {
    const { keys, gate, forge, forged } = opened(perMinute)
    await forge(perMinute)
    expect(await gate.check(asking(forged(), { address: attacker }))).toEqual({
      ok: false,
      refusal: refuse('rate_limited', expect.stringContaining('forged'), {
        retryAfterSeconds: 60 / perMinute,
      }),
    })
    expect(keys.verifications).toBe(perMinute + 1)
  })

  // conformance: Guarantees / Forged tokens do not lock out valid tokens
  // conformance: Attacks / 44. An attacker locks out other clients of an address with forged tokens
  test('does not shut out right tokens, whether they were seen before or not', async () => {
    const { ask, forge } = opened(perMinute)
    const seen = bearer()
    expect(await ask(seen)).toBe('admitted')
    await forge(10 * perMinute)
    expect(await ask(bearer({ jti: 'unseen' }))).toBe('admitted')
    expect(await ask(seen)).toBe('admitted')
  })

  test('is told the reason where its token is no forgery', async () => {
    const { ask, forge } = opened(perMinute)
    await forge(perMinute)
    expect(await ask(bearer({ exp: unixSeconds(startOfTime - 31) }))).toBe('storage_token_invalid')
    expect(await ask(`Bearer ${tokenOfUnknownKey()}`)).toBe('storage_token_invalid')
  })

  // conformance: Attacks / 44. An attacker locks out other clients of an address with forged tokens
  test('has no more verified than its queue holds: the newcomer is told to wait', async () => {
    const { keys, ask, forge, forged } = opened(perMinute)
    await forge(perMinute)
    const before = keys.verifications
    const flood = Array.from({ length: 500 }, () => ask(forged()))
    const late = ask(bearer({ jti: 'late' }))
    const neighbour = ask(bearer({ jti: 'neighbour' }), '203.0.113.8')
    expect(await late).toBe('rate_limited')
    expect(await neighbour).toBe('admitted')
    expect(new Set(await Promise.all(flood))).toEqual(new Set(['rate_limited']))
    // Two at work and fifty waiting, and the neighbour, who waits for nobody.
    expect(keys.verifications - before).toBe(2 + 50 + 1)
    expect(await ask(bearer({ jti: 'late' }))).toBe('admitted')
  })

  // conformance: Attacks / 44. An attacker locks out other clients of an address with forged tokens
  test('waits behind itself only, not before another address that has forged too', async () => {
    const { ask, forge, forged } = opened(perMinute)
    const other = '198.51.100.7'
    await forge(perMinute)
    await forge(perMinute, other)
    const ended: string[] = []
    const flood = Array.from({ length: 52 }, () => ask(forged()).then(() => ended.push('flood')))
    const right = ask(bearer({ jti: 'right' }), other).then((told) => ended.push(told))
    await Promise.all([...flood, right])
    // Those at work, and the one of the same address that was first in turn.
    expect(ended).toContain('admitted')
    expect(ended.indexOf('admitted')).toBeLessThan(10)
  })

  test('does not make others wait', async () => {
    const { ask, forge } = opened(perMinute)
    await forge(10 * perMinute)
    expect(await ask(bearer(), '203.0.113.8')).toBe('admitted')
    expect(await ask(`${bearer().slice(0, -8)}AAAAAAAA`, '203.0.113.8')).toBe(
      'storage_token_invalid',
    )
  })

  test('may try again when the wait it was told is over, and not sooner', async () => {
    const { clock, ask, forge, forged } = opened(perMinute)
    await forge(perMinute)
    clock.pass(60 / perMinute - 1)
    expect(await ask(forged())).toBe('rate_limited')
    clock.pass(1)
    expect(await ask(forged())).toBe('storage_token_invalid')
    expect(await ask(forged())).toBe('rate_limited')
  })

  test('has its whole allowance back after a minute, however long it went on', async () => {
    const { clock, ask, forge, forged } = opened(perMinute)
    await forge(20 * perMinute)
    clock.pass(60)
    const told: string[] = []
    for (let count = 0; count < 3 * perMinute; count += 1) told.push(await ask(forged()))
    expect(told.filter((one) => one === 'storage_token_invalid')).toHaveLength(perMinute)
  })

  test('is told about a missing or malformed token as ever', async () => {
    const { gate, ask, forge } = opened(perMinute)
    await forge(perMinute)
    expect(await ask('Bearer !')).toBe('storage_token_invalid')
    expect(await outcome(gate, asking(undefined, { address: attacker }))).toBe(
      'storage_token_missing',
    )
  })

  test('waits with its whole IPv6 network, which one machine has to itself', async () => {
    const { ask, forge, forged } = opened(perMinute)
    for (let host = 1; host <= perMinute; host += 1) await forge(1, `2001:db8::${host}`)
    expect(await ask(forged(), '2001:db8::ffff')).toBe('rate_limited')
    expect(await ask(forged(), '2001:db8:0:1::1')).toBe('storage_token_invalid')
  })

  test('waits no longer because the clock was set back', async () => {
    const { clock, ask, forge } = opened(perMinute)
    await forge(1)
    clock.pass(-3600)
    const iat = unixSeconds(startOfTime - 3600)
    expect(await ask(bearer({ iat, jti: 'unseen' }))).toBe('admitted')
  })
})

describe('what is no forgery does not count', () => {
  test.each([
    ['an expired token', () => bearer({ exp: unixSeconds(startOfTime - 31) })],
    ['a token from the future', () => bearer({ iat: unixSeconds(startOfTime + 31) })],
    ['a token of another hub', () => bearer({ iss: 'https://other.example' })],
    ['a token of another storage', () => bearer({ aud: 'https://other.example' })],
    ['a malformed token', () => 'Bearer a.b.c'],
    ['a token of an unknown key', () => `Bearer ${tokenOfUnknownKey()}`],
    ['a token too many in one header', () => `${bearer()} ${bearer()}`],
  ])('%s', async (_, credential) => {
    const { ask } = opened(perMinute)
    for (let count = 0; count < 3 * perMinute; count += 1) {
      expect(await ask(credential())).toBe('storage_token_invalid')
    }
    expect(await ask(bearer())).toBe('admitted')
  })
})

describe('nobody waits', () => {
  test('whose address is not known', async () => {
    const { gate, keys, forged } = opened(perMinute)
    for (let count = 0; count < 10 * perMinute; count += 1) {
      expect(await outcome(gate, asking(forged()))).toBe('storage_token_invalid')
    }
    expect(keys.verifications).toBe(10 * perMinute)
    expect(await outcome(gate, asking(bearer()))).toBe('admitted')
  })

  test('where the operator sets no limit', async () => {
    const { ask, forge, forged } = opened(0)
    await forge(400)
    expect(await ask(forged())).toBe('storage_token_invalid')
  })
})

test('300 forged tokens a minute are allowed unless the operator says otherwise', async () => {
  const { ask, forge, forged } = opened()
  await forge(299)
  expect(await ask(forged())).toBe('storage_token_invalid')
  expect(await ask(forged())).toBe('rate_limited')
})
