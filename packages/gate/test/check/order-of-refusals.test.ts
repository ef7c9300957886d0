/** The first condition that applies answers, so nobody learns about a request more than its token allows. */

import {
  bearer,
  casUrl,
  issuer,
  keys,
  movedClock,
  prefix,
} from '@latchkey/testing/gate/storage-tokens'
import { describe, expect, test } from 'vitest'
import { createGate } from '../../src/check/create-gate.ts'
import type { KeySource } from '../../src/keys/key-source.ts'
import { asking, gateWith, outcome } from './ask.ts'

/** Every fault that a request can have, the first to be told first. */
const faults = [
  'bad_request',
  'storage_token_missing',
  'gate_not_ready',
  'storage_token_invalid',
  'revoked',
  'insufficient_scope',
  'not_found',
  'repository_mismatch',
  'ref_mismatch',
] as const

type Fault = (typeof faults)[number]

const noKeys: KeySource = { known: () => undefined, refresh: async () => true }
const { now: clock } = movedClock()

/** The outcome of one request that has all of these faults at once. */
function withFaults(having: readonly Fault[]): Promise<string> {
  const has = (fault: Fault) => having.includes(fault)
  const gate = createGate({
    keys: has('gate_not_ready') ? noKeys : keys,
    issuer,
    casUrl,
    isRevoked: () => has('revoked'),
    clock,
  })
  const right = bearer()
  const credential = has('storage_token_invalid') ? `${right.slice(0, -8)}AAAAAAAA` : right
  const repository = has('repository_mismatch') ? 'otheruid' : 'bertuid'
  const ref = has('ref_mismatch') ? 'otheruid' : 'mainuid'
  const fixed = has('not_found') ? 's' : 'r'
  const slash = has('bad_request') ? '/' : ''
  return outcome(
    gate,
    asking(has('storage_token_missing') ? undefined : credential, {
      method: has('insufficient_scope') ? 'POST' : 'GET',
      target: `/${fixed}/${repository}/${ref}/shard${slash}`,
    }),
  )
}

function codeOf(fault: Fault): string {
  return fault === 'revoked' ? 'storage_token_invalid' : fault
}

describe('of two faults the earlier is told', () => {
  const pairs = faults.flatMap((first, index) =>
    faults.slice(index + 1).map((second) => [first, second] as const),
  )
  test.each(pairs)('%s before %s', async (first, second) => {
    expect(await withFaults([first, second])).toBe(codeOf(first))
  })
})

test('each fault alone is told, and a request without any is admitted', async () => {
  for (const fault of faults) expect(await withFaults([fault])).toBe(codeOf(fault))
  expect(await withFaults([])).toBe('admitted')
})

test('of all faults that are left the first is told', async () => {
  for (const [index, first] of faults.entries()) {
    expect(await withFaults(faults.slice(index))).toBe(codeOf(first))
  }
})

test('a header that holds no one token is told before there are keys to tell a forged one with', async () => {
  const gate = createGate({ keys: noKeys, issuer, casUrl, clock })
  expect(await outcome(gate, asking('Bearer'))).toBe('storage_token_invalid')
  expect(await outcome(gate, asking(`${bearer()} ${bearer()}`))).toBe('storage_token_invalid')
  expect(await outcome(gate, asking(bearer()))).toBe('gate_not_ready')
})

describe('the grant of a refused request', () => {
  const gate = gateWith()

  test.each([
    ['for its scope', { method: 'POST', target: `${prefix}/shard` }, 'insufficient_scope'],
    ['for its place', { target: '/elsewhere' }, 'not_found'],
    ['for its repository', { target: '/r/otheruid/mainuid/x' }, 'repository_mismatch'],
    ['for its ref', { target: '/r/bertuid/otheruid/x' }, 'ref_mismatch'],
  ])('is there for the log when it is refused %s', async (_, change, refused) => {
    expect(await gate.check(asking(bearer(), change))).toMatchObject({
      ok: false,
      refusal: { code: refused },
      grant: { subject: 'ada-id', repository: 'models/acme/bert', tokenId: 'token-id' },
    })
  })

  test.each([
    ['is missing', undefined],
    ['is malformed', 'Bearer x'],
    ['is forged', `${bearer().slice(0, -8)}AAAAAAAA`],
    ['is for another storage', bearer({ aud: 'https://other.example' })],
  ])('is not there when the token %s', async (_, credential) => {
    const checked = await gate.check(asking(credential))
    expect(checked.ok).toBe(false)
    expect(checked).not.toHaveProperty('grant')
  })
})

// conformance: Authentication / 2. The storage request has the accessToken in the Authorization header
describe('a token is read from the Authorization header alone', () => {
  const gate = gateWith()
  const [, secret] = bearer().split(' ')

  test.each([
    ['the query', { target: `${prefix}/x?access_token=${secret}` }],
    ['a cookie', { headers: ['Cookie', `access_token=${secret}`] }],
    ['Proxy-Authorization', { headers: ['Proxy-Authorization', `Bearer ${secret}`] }],
    ['X-Authorization', { headers: ['X-Authorization', `Bearer ${secret}`] }],
    ['basic credentials', { headers: ['Authorization', `Basic ${secret}`] }],
  ])('and not from %s', async (_, change) => {
    expect(await outcome(gate, asking(undefined, change))).toBe('storage_token_missing')
  })

  test('and from one such header, not two', async () => {
    const headers = ['Authorization', bearer(), 'authorization', bearer()]
    expect(await outcome(gate, asking(undefined, { headers }))).toBe('storage_token_invalid')
  })

  test.each(['bearer', 'BEARER', 'Bearer'])('with the scheme in any case: %s', async (scheme) => {
    expect(await outcome(gate, asking(`${scheme} ${secret}`))).toBe('admitted')
  })
})
