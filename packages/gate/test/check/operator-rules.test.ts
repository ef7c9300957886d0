/** Rules of the operator can demand write where the table wants read, and never the reverse. */

import { isWriteRule } from '@latchkey/protocol'
import { bearer, prefix } from '@latchkey/testing/gate/storage-tokens'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asking, gateWith, outcome } from './ask.ts'

const locked = gateWith({ rules: { write: [{ methods: ['POST'], path: '/v1/locks/*' }] } })

test('a read token is refused where a rule of the operator demands write', async () => {
  const request = asking(bearer(), { method: 'POST', target: `${prefix}/v1/locks/a` })
  expect(await outcome(gateWith(), request)).toBe('admitted')
  expect(await outcome(locked, request)).toBe('insufficient_scope')
})

test('a write token passes where a rule of the operator demands write', async () => {
  const target = `${prefix}/v1/locks/a`
  const request = asking(bearer({ scope: 'write' }), { method: 'POST', target })
  expect(await locked.check(request)).toMatchObject({ ok: true, requiredScope: 'write' })
})

test('rules are read without the prefix and see nothing of it', async () => {
  const rules = { write: [{ methods: 'unsafe', path: '/r/**' }] } as const
  const request = asking(bearer(), { method: 'POST', target: `${prefix}/v1/telemetry` })
  expect(await outcome(gateWith({ rules }), request)).toBe('admitted')
})

const arbitraryMethod = fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE')
const arbitrarySegment = fc.constantFrom('v1', 'v2', 'shard', 'SHARDS', 'xorb', 'xorbs', 'x', 'y')
const arbitraryRule = fc
  .record({
    methods: fc.oneof(fc.constant('unsafe' as const), fc.array(arbitraryMethod)),
    path: fc
      .array(fc.oneof(arbitrarySegment, fc.constantFrom('*', '**')), { maxLength: 4 })
      .map((parts) => `/${parts.join('/')}`),
  })
  .filter(isWriteRule)

test('no rule of an operator lets a read token do what it may not do without', async () => {
  const plain = gateWith()
  await fc.assert(
    fc.asyncProperty(
      fc.array(arbitraryRule, { maxLength: 4 }),
      arbitraryMethod,
      fc.array(arbitrarySegment, { minLength: 1, maxLength: 5 }),
      async (write, method, segments) => {
        const request = asking(bearer(), { method, target: `${prefix}/${segments.join('/')}` })
        if ((await outcome(plain, request)) === 'admitted') return
        expect(await outcome(gateWith({ rules: { write } }), request)).toBe('insufficient_scope')
      },
    ),
    { numRuns: 300 },
  )
})

test('a read token uses no unsafe method anywhere where every one of them writes', async () => {
  const strict = gateWith({ rules: { everyUnsafeMethodWrites: true } })
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND', 'post']) {
    const request = asking(bearer(), { method, target: `${prefix}/bucket?delete` })
    expect(await outcome(strict, request)).toBe('insufficient_scope')
  }
  const post = asking(bearer(), { method: 'POST', target: `${prefix}/bucket?delete` })
  expect(await outcome(gateWith(), post)).toBe('admitted')
  expect(await outcome(strict, asking(bearer(), { target: `${prefix}/bucket` }))).toBe('admitted')
  const both = { everyUnsafeMethodWrites: true, relaxOtherMethods: true }
  expect(() => gateWith({ rules: both })).toThrow(/exclude each other/)
})

test('relaxed methods stay forbidden to a read token on shards and xorbs', async () => {
  const relaxed = gateWith({ rules: { relaxOtherMethods: true } })
  const put = (path: string) => asking(bearer(), { method: 'PUT', target: `${prefix}${path}` })
  expect(await outcome(relaxed, put('/v1/notes/a'))).toBe('admitted')
  expect(await outcome(gateWith(), put('/v1/notes/a'))).toBe('insufficient_scope')
  expect(await outcome(relaxed, put('/v1/shards'))).toBe('insufficient_scope')
  expect(await outcome(relaxed, put('/xorb/default/a'))).toBe('insufficient_scope')
})
