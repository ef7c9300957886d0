/** The search itself: a canary that could not be found would prove nothing. */

import { pooledRandom } from '@latchkey/service/machine/random'
import { accessTokenCanary, found, hubTokenCanary, keyCanary } from '@latchkey/testing/hub/canary'
import { describe, expect, test } from 'vitest'
import { makeHubToken } from '../../src/identity/hub-token.ts'

const token = makeHubToken('lk_', pooledRandom()).reveal()

describe('the search for secrets', () => {
  test('finds a hub token in the middle of bytes', () => {
    const bytes = Buffer.concat([Buffer.from([0, 255]), Buffer.from(token), Buffer.from([254])])
    expect(found([hubTokenCanary('one', token)], new Map([['a file', bytes]]))).toHaveLength(1)
  })

  test('finds a hub token whose end was cut off', () => {
    const outlets = new Map([['a line', `no such option "${token.slice(0, 25)}…`]])
    expect(found([hubTokenCanary('one', token)], outlets)).toHaveLength(1)
  })

  test('finds any twelve characters of a hub token', () => {
    const secret = token.slice(3)
    const pieces = Array.from({ length: secret.length - 11 }, (_, at) => secret.slice(at, at + 12))
    const outlets = new Map(pieces.map((piece) => [piece, `no "${piece}"`]))
    expect(found([hubTokenCanary('one', token)], outlets)).toHaveLength(pieces.length)
  })

  test('finds a signature without the rest of its token', () => {
    const canary = accessTokenCanary('one', `e30.${'a'.repeat(20)}.${'b'.repeat(86)}`)
    expect(found([canary], new Map([['a line', 'b'.repeat(86)]]))).toHaveLength(1)
  })

  test('finds a key in every usual form', () => {
    const key = Buffer.from('0123456789abcdef0123456789abcdef')
    const forms = [key, key.toString('hex'), key.toString('base64'), key.toString('base64url')]
    const outlets = new Map(forms.map((form, index) => [`form ${index}`, form]))
    expect(found([keyCanary('key', key)], outlets)).toHaveLength(4)
  })

  test('takes the hint of four characters for none', () => {
    const outlets = new Map([['a table', token.slice(-10, -6)]])
    expect(found([hubTokenCanary('one', token)], outlets)).toEqual([])
  })
})
