/** `isRevoked` is called for every request with a right token, and for no other. */

import { bearer } from '@latchkey/testing/gate/storage-tokens'
import { describe, expect, test } from 'vitest'
import type { Grant } from '../../src/grant/grant.ts'
import { asking, gateWith, outcome, readPath, writePath } from '../check/ask.ts'

function answering(...answers: readonly (boolean | Promise<boolean>)[]) {
  const asked: Grant[] = []
  const isRevoked = (grant: Grant) => {
    asked.push(grant)
    return answers[asked.length - 1] ?? false
  }
  return { asked, gate: gateWith({ isRevoked }) }
}

describe('a grant that is revoked by the function of the storage', () => {
  test('is refused as revoked, and says whose it was', async () => {
    const { gate } = answering(true)
    expect(await gate.check(asking(bearer()))).toMatchObject({
      ok: false,
      refusal: {
        code: 'storage_token_invalid',
        detail: expect.stringContaining('revoked'),
      },
      grant: { subject: 'ada-id', tokenId: 'token-id' },
    })
  })

  // conformance: Attacks / 23. An attacker sends an endless upload, or one that outlives its token
  test('is refused though its token was seen before, and admitted when it is not revoked any more', async () => {
    const { gate, asked } = answering(false, true, false)
    const request = asking(bearer())
    expect(await outcome(gate, request)).toBe('admitted')
    expect(await outcome(gate, request)).toBe('storage_token_invalid')
    expect(await outcome(gate, request)).toBe('admitted')
    expect(asked).toHaveLength(3)
  })

  test('is refused when the answer takes its time', async () => {
    const { gate } = answering(Promise.resolve(true), Promise.resolve(false))
    expect(await outcome(gate, asking(bearer()))).toBe('storage_token_invalid')
    expect(await outcome(gate, asking(bearer()))).toBe('admitted')
  })

  test('is refused as revoked before anything about its scope or place is told', async () => {
    const { gate } = answering(true, true, true)
    const requests = [
      asking(bearer(), { method: 'POST', target: writePath }),
      asking(bearer(), { target: '/r/otheruid/mainuid/x' }),
      asking(bearer(), { target: '/elsewhere' }),
    ]
    for (const request of requests) {
      expect(await outcome(gate, request)).toBe('storage_token_invalid')
    }
  })
})

test.each([undefined, null, 0, '', 'no', {}, Promise.resolve(undefined)])(
  'everything but false rejects: %j',
  async (answer) => {
    const gate = gateWith({ isRevoked: () => answer as never })
    expect(await outcome(gate, asking(bearer()))).toBe('storage_token_invalid')
  },
)

test('a question that cannot be answered admits nobody', async () => {
  const gate = gateWith({ isRevoked: () => Promise.reject(new Error('no connection')) })
  await expect(gate.check(asking(bearer()))).rejects.toThrow('no connection')
})

describe('the question is never asked', () => {
  test.each([
    ['without a token', undefined],
    ['for another scheme', 'Basic YTpi'],
    ['for a malformed token', 'Bearer x'],
    ['for a forged token', `${bearer().slice(0, -8)}AAAAAAAA`],
    ['for a token of another hub', bearer({ iss: 'https://other.example' })],
    ['for a token of another storage', bearer({ aud: 'https://other.example' })],
  ])('%s', async (_, credential) => {
    const { gate, asked } = answering()
    expect(await outcome(gate, asking(credential))).toMatch(/^storage_token_/)
    expect(asked).toEqual([])
  })

  test('for a request that is refused before its token is read', async () => {
    const { gate, asked } = answering()
    expect(await outcome(gate, asking(bearer(), { target: `${readPath}/` }))).toBe('bad_request')
    expect(asked).toEqual([])
  })
})
