/** A hub's refusal is read without trust: any bytes give an error of one bounded line, without the secret. */

import { anyText } from '@latchkey/testing/any-text'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LatchkeyError } from '../../src/error/latchkey-error.ts'
import { readRefusal } from '../../src/hub/request-token.ts'

const runs = process.env['LATCHKEY_SOAK'] ? 10_000 : 250

const secret = fc.stringMatching(/^lk_[A-Za-z0-9\-._~+/]{12,60}={0,2}$/)
const longText = anyText({ maxLength: 300 })

/** Text that repeats the secret anywhere, any number of times. */
const telling = (secret: string) =>
  fc
    .array(fc.oneof(fc.constant(secret), longText, fc.constant(secret.slice(0, -1))), {
      maxLength: 6,
    })
    .map((pieces) => pieces.join(''))

const members = (text: fc.Arbitrary<string>) => {
  const value = fc.oneof({ weight: 3, arbitrary: text }, { weight: 1, arbitrary: fc.jsonValue() })
  const record = fc.record(
    { code: value, detail: value, error: value, requestId: value },
    { requiredKeys: [] },
  )
  return fc.oneof(
    record.map((value) => JSON.stringify(value)),
    fc.json(),
    text,
  )
}

const headerSafe = (text: string) => text.replace(/[^\x20-\x7e]/g, '').trim()

const cases = secret.chain((secret) =>
  fc.record({
    secret: fc.constant(secret),
    status: fc.integer({ min: 400, max: 599 }),
    text: members(telling(secret)),
    header: telling(secret).map(headerSafe),
  }),
)

describe('a refusal of the hub', () => {
  it('is read without throwing, and never repeats the hub token', () => {
    fc.assert(
      fc.property(cases, ({ secret, status, text, header }) => {
        const headers = new Headers({ 'x-request-id': header, 'x-error-message': header })
        const error = readRefusal({ status, headers, text }, {}, secret)
        expect(error).toBeInstanceOf(LatchkeyError)
        const { message, code, requestId = '', stack = '' } = error
        for (const told of [message, code, requestId, stack]) expect(told).not.toContain(secret)
      }),
      { numRuns: runs },
    )
  })

  it('is one bounded line of whole characters, and never empty', () => {
    fc.assert(
      fc.property(cases, ({ secret, status, text, header }) => {
        const headers = new Headers({ 'x-request-id': header })
        const { message, code, requestId } = readRefusal({ status, headers, text }, {}, secret)
        for (const told of [message, code, requestId ?? 'none']) {
          expect(told.length).toBeGreaterThan(0)
          expect(told.length).toBeLessThanOrEqual(500)
          expect(told).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
        }
        expect(code).toMatch(/^[a-z_]+$/)
      }),
      { numRuns: runs },
    )
  })

  it.each([
    [
      'members that cannot become text',
      '{"detail":{"toString":1,"valueOf":1},"code":{"toString":1}}',
    ],
    ['a null', 'null'],
    ['a list', '[1]'],
    ['a prototype', '{"__proto__":{"detail":"x"},"constructor":1}'],
    ['empty words', '{"detail":"","code":""}'],
    ['words of blanks', '{"detail":" \\n ","code":" "}'],
  ])('is told by its status where its body says nothing: %s', (_, text) => {
    const error = readRefusal({ status: 403, headers: new Headers(), text }, {}, 'lk_abc')
    expect(error.code).toBe('permission_denied')
    expect(error.message).toBe('The hub answers 403.')
    expect(error.requestId).toBeUndefined()
  })

  it('is cut at 500 characters, between two characters', () => {
    const detail = `${'x'.repeat(499)}🗝${'y'.repeat(9000)}`
    const answer = { status: 403, headers: new Headers(), text: JSON.stringify({ detail }) }
    const { message } = readRefusal(answer, {}, undefined)
    expect(message).toHaveLength(500)
    expect(message.isWellFormed()).toBe(true)
  })

  it('keeps a code that this client has never heard of', () => {
    const text = JSON.stringify({ code: 'quota_exhausted', detail: 'Too much.' })
    const error = readRefusal({ status: 403, headers: new Headers(), text }, {}, undefined)
    expect(error).toMatchObject({ code: 'quota_exhausted', message: 'Too much.' })
  })

  it('of nobody has nothing to hide', () => {
    const text = JSON.stringify({ code: 'hub_token_missing', detail: 'Say who you are.' })
    const error = readRefusal({ status: 401, headers: new Headers(), text }, {}, undefined)
    expect(error).toMatchObject({ code: 'hub_token_missing', message: 'Say who you are.' })
  })
})
