/** Claims of an earlier version, with moments in seconds, are read for as long as their tokens may live; a mixture never is. */

import { isJournalNumber, type JournalNumber, noJournalNumber } from '@latchkey/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mostSeenRefs, parseClaims, serialiseClaims, verifyToken } from '../src/index.ts'
import { claims, expected, forgePayload, inSeconds } from './forge.ts'

const runs = process.env['LATCHKEY_SOAK'] ? 10_000 : 300
const text = inSeconds()

describe('the old form', () => {
  test('is read as numbers: what was visible at its second stays visible, and nothing more', async () => {
    const verified = await verifyToken(forgePayload(text), expected)
    expect(verified).toMatchObject({
      ok: true,
      claims: { as_of: 0, sees: [{ uid: 'other-uid', before: 1_700_000_000_000 }] },
    })
    expect(parseClaims(text)).toEqual({ ...claims, as_of: noJournalNumber })
  })

  test('is read without anything to see, and with eight refs', () => {
    for (const count of [0, mostSeenRefs]) {
      const sees = Array.from({ length: count }, (_, at) => ({ uid: `ref-${at}`, until: at }))
      const read = sees.map(({ uid, until }) => ({ uid, before: until + 1 }))
      expect(parseClaims(inSeconds({ sees }))).toMatchObject({ as_of: 0, sees: read })
    }
  })

  test('is never written', () => {
    const read = parseClaims(text)
    expect(read && serialiseClaims(read)).not.toBe(text)
    expect(serialiseClaims(claims)).not.toContain('until')
  })

  test.each([...[-1, 1.5, '1', null, true, [1], 2 ** 53, Number.MAX_SAFE_INTEGER]])(
    'is refused where until is %j',
    (until) => {
      expect(parseClaims(inSeconds({ sees: [{ uid: 'a', until }] }))).toBeUndefined()
    },
  )

  test.each([
    ['a list too long', { sees: Array(9).fill({ uid: 'a', until: 1 }) }],
    ['a list of something else', { sees: [null] }],
    ['no list', { sees: null }],
    ['no uid', { sees: [{ until: 1 }] }],
    ['a member more', { sees: [{ uid: 'a', until: 1, more: 1 }] }],
    ['members in another order', { sees: [{ until: 1, uid: 'a' }] }],
    ['a claim more', { more: 1 }],
    ['another scope', { scope: 'admin' }],
  ])('is refused with %s', (_, change) => {
    expect(parseClaims(inSeconds(change))).toBeUndefined()
  })

  test.each([
    ['a space in front', ` ${text}`],
    ['a fraction of zero', text.replace('1699999999999', '1699999999999.0')],
    ['an exponent', text.replace('1699999999999', '17e11')],
    ['minus zero', text.replace('1699999999999', '-0')],
    ['until said twice', text.replace('"until"', '"until":1,"until"')],
  ])('is refused with %s', (_, changed) => {
    expect(changed).not.toBe(text)
    expect(parseClaims(changed)).toBeUndefined()
  })
})

describe('a mixture of both forms is refused', () => {
  const until = { uid: 'a', until: 1 }
  const before = { uid: 'a', before: 1 }
  test.each([
    [
      'as_of beside until',
      serialiseClaims({ ...claims, sees: [] }).replace('[]', `[${json(until)}]`),
    ],
    ['before without as_of', inSeconds({ sees: [before] })],
    ['until and before in one list', inSeconds({ sees: [until, before] })],
    ['before and until in one list', inSeconds({ sees: [before, until] })],
    ['until and before in one entry', inSeconds({ sees: [{ ...until, before: 1 }] })],
    ['as_of behind sees', inSeconds().replace('"iat"', '"as_of":0,"iat"')],
    ['as_of that is null', inSeconds().replace('"sees"', '"as_of":null,"sees"')],
  ])('%s', (_, mixed) => {
    expect(JSON.parse(mixed)).toBeDefined()
    expect(parseClaims(mixed)).toBeUndefined()
  })
})

test('no text is read in two ways: whatever is read is written again as the form that it had', () => {
  const seen = fc.record(
    { uid: fc.constantFrom('a', 'b'), until: fc.maxSafeNat(), before: fc.maxSafeNat() },
    { requiredKeys: ['uid'] },
  )
  const parts = fc.record(
    { as_of: fc.maxSafeNat(), sees: fc.array(seen, { maxLength: 3 }) },
    { requiredKeys: ['sees'] },
  )
  fc.assert(
    fc.property(parts, ({ as_of, sees }) => {
      const { sees: _, as_of: __, iat, exp, jti, ...rest } = claims
      const read = parseClaims(JSON.stringify({ ...rest, as_of, sees, iat, exp, jti }))
      const isNew = as_of !== undefined && sees.every((one) => isOnly(one, 'before'))
      const isOld = as_of === undefined && sees.every((one) => isOnly(one, 'until'))
      expect(read !== undefined).toBe(isNew || isOld)
      const numbers = sees.map((one) => one.before ?? (one.until ?? 0) + 1)
      if (read !== undefined) expect(read.sees.map(({ before }) => before)).toEqual(numbers)
      expect(read?.as_of ?? as_of ?? 0).toBe(as_of ?? 0)
    }),
    { numRuns: runs },
  )
})

function isOnly(seen: { until?: number; before?: number }, name: 'until' | 'before'): boolean {
  const other = name === 'until' ? seen.before : seen.until
  const number = name === 'until' ? (seen.until ?? -2) + 1 : seen.before
  return other === undefined && isJournalNumber(number as JournalNumber)
}

function json(value: unknown): string {
  return JSON.stringify(value)
}
