/** An answer of the hub is believed only as far as it is checked. */

import { anyText, anyWebUrl } from '@latchkey/testing/any-text'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LatchkeyError } from '../../src/error/latchkey-error.ts'
import { readTokenAnswer } from '../../src/hub/read-token-answer.ts'
import { openWorld, tokenAnswer } from '../world.ts'

const nowSeconds = 1_800_000_005
const good = { accessToken: 'abc', exp: nowSeconds + 900, casUrl: 'https://cas.example/r' }

async function tokenOf(answer: Response) {
  const world = openWorld()
  world.hub = () => answer
  return world.client().token('read')
}

const answerOf = (members: object) => tokenAnswer(members, openWorld())

describe('an answer of the hub that is no token', () => {
  it.each<[string, object]>([['an exp beyond all numbers', { ...good, exp: 2 ** 53 }]])(
    'is refused, and says why: %s',
    async (_, members) => {
      const error = await tokenOf(answerOf(members)).catch((error) => error)
      expect(error).toMatchObject({ code: 'answer_invalid', status: 200, method: 'GET' })
      expect(error.message).toMatch(/answers with no token: (accessToken|casUrl|exp) is /)
      expect(error.message.length).toBeLessThan(200)
    },
  )

  it('is not read to its end when it has none', async () => {
    let pulled = 0
    let isCancelled = false
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 1
        controller.enqueue(new Uint8Array(65_536).fill(97))
      },
      cancel() {
        isCancelled = true
      },
    })
    await expect(tokenOf(new Response(endless))).rejects.toMatchObject({ code: 'answer_invalid' })
    expect(pulled).toBeLessThan(40)
    expect(isCancelled).toBe(true)
  })
})

describe('an answer of the hub that is a token', () => {
  it.each<[string, object]>([['an exp in the next second', { exp: nowSeconds + 1 }]])(
    'is taken with %s',
    async (_, members) => {
      const token = await tokenOf(answerOf({ ...good, ...members }))
      expect(token).toMatchObject(members)
    },
  )

  it('may end its casUrl with a slash', async () => {
    const { casUrl } = await tokenOf(answerOf({ ...good, casUrl: 'https://cas.example/r/' }))
    expect(casUrl).toBe('https://cas.example/r')
  })
})

describe('reading any answer at all', () => {
  const url = fc.oneof(anyWebUrl, fc.constantFrom(good.casUrl, 'https://127.0.0.1', 'http://a.b'))
  const value = <T>(likely: fc.Arbitrary<T>) =>
    fc.oneof(
      { weight: 3, arbitrary: likely },
      { weight: 1, arbitrary: fc.jsonValue() as fc.Arbitrary<unknown> },
    )
  const answer = fc.oneof(
    fc
      .record({
        accessToken: value(fc.stringMatching(/^[A-Za-z0-9._-]{1,20}={0,2}$/)),
        exp: value(fc.integer({ min: nowSeconds - 9, max: nowSeconds + 99 })),
        casUrl: value(url),
      })
      .map((members) => JSON.stringify(members)),
    fc.json(),
    anyText(),
  )

  // conformance: Client flow / 1 and 2. The client sends one request and reads all three members
  it('never throws, and gives a token that keeps every rule, or an error with a sentence', () => {
    let taken = 0
    const expected = {
      scope: 'write',
      hubUrl: 'https://hub.example',
      nowSeconds,
      facts: {},
    } as const
    fc.assert(
      fc.property(answer, fc.boolean(), (text, allowPlainHttp) => {
        const token = readTokenAnswer(text, { ...expected, allowPlainHttp })
        if (token instanceof LatchkeyError) {
          expect(token.code).toBe('answer_invalid')
          expect(token.message).toMatch(/ answers with no token: (accessToken|exp|casUrl) is /)
          return
        }
        taken += 1
        expect(token.scope).toBe('write')
        expect(token.accessToken.reveal()).toMatch(/^[A-Za-z0-9\-._~+/]{1,64000}={0,9}$/)
        expect(Number.isSafeInteger(token.exp) && token.exp > nowSeconds).toBe(true)
        const { protocol, href, hostname, username, search, hash } = new URL(token.casUrl)
        expect(href.replace(/\/$/, '')).toBe(token.casUrl)
        expect([username, search, hash]).toEqual(['', '', ''])
        expect(protocol).toMatch(allowPlainHttp ? /^https?:$/ : /^https:$/)
        if (!allowPlainHttp) expect(hostname).not.toBe('127.0.0.1')
      }),
      { numRuns: process.env['LATCHKEY_SOAK'] ? 20_000 : 1000 },
    )
    expect(taken).toBeGreaterThan(20)
  })
})
