/** Whatever is sent, the gate answers with a grant or with a refusal that has a known code. */

import { sign } from 'node:crypto'
import { forwardAuthEndpoint, forwardAuthProxies } from '@latchkey/gateway/forward-auth'
import { statusOf } from '@latchkey/protocol'
import { anyText } from '@latchkey/testing/any-text'
import { rounds } from '@latchkey/testing/chance'
import {
  bearer,
  casUrl,
  claims,
  issuer,
  keys,
  movedClock,
  prefix,
  signingKey,
} from '@latchkey/testing/gate/storage-tokens'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CheckResult, createGate } from '../../src/index.ts'

const clock = movedClock().now
const gate = createGate({ keys, issuer, casUrl, clock, failuresPerMinute: 0 })
const right = bearer()

const text = fc.oneof(
  anyText(),
  fc.string({ unit: fc.constantFrom(...'/.%2e;?#\\ shardXORB\u0000\uD800é') }),
)

const method = fc.oneof(fc.constantFrom('GET', 'POST', 'OPTIONS', 'get', ''), text)
const target = fc.oneof(
  text,
  text.map((rest) => `${prefix}/${rest}`),
  text.map((rest) => `https://cas.example${rest}`),
  fc.constantFrom(`${prefix}/v1/chunks/a/b`, `${prefix}/shard`, '*', ''),
)

/** One place of a right Authorization changed, cut or doubled. */
const spoiled = fc
  .tuple(fc.nat({ max: right.length }), fc.nat({ max: 3 }), text)
  .map(([at, cut, put]) => right.slice(0, at) + put + right.slice(at + cut))
const authorization = fc.oneof(
  text,
  text.map((rest) => `Bearer ${rest}`),
  spoiled,
  fc.constant(right),
)
const name = fc.oneof(
  fc.constantFrom('Authorization', 'authorization', 'Content-Length', 'Transfer-Encoding', 'Host'),
  fc.constantFrom('Latchkey-Ref', 'latchkey_', 'Trailer', 'Connection', 'Upgrade', 'Origin'),
  fc.constantFrom('X-Original-Method', 'X-Original-URI', 'X-Forwarded-Uri', 'X-Forwarded-Method'),
  text,
)
const header = fc.oneof(
  fc.tuple(name, text),
  fc.tuple(fc.constantFrom('Authorization', 'AUTHORIZATION'), authorization),
  fc.tuple(fc.constantFrom('X-Original-URI', 'X-Forwarded-Uri'), target),
)
/** Names and values in turn; at times the last value is missing. */
const headers = fc
  .tuple(fc.array(header, { maxLength: 6 }), fc.boolean())
  .map(([lines, isCut]) => (isCut ? lines.flat().slice(0, -1) : lines.flat()))
const request = fc.record({
  method,
  target,
  headers,
  address: fc.option(text, { nil: undefined }),
})

function expectAnswer(checked: CheckResult): void {
  if (checked.ok) {
    expect(checked.grant).toMatchObject({ repositoryUid: 'bertuid', refUid: 'mainuid' })
    expect(checked.path).toMatch(/^\//)
    return
  }
  expect(checked.refusal.code in statusOf).toBe(true)
  expect(checked.refusal.detail).not.toBe('')
}

describe('the gate neither throws nor rejects', () => {
  test('whatever method, target and headers a request has', async () => {
    await fc.assert(
      fc.asyncProperty(request, async (asked) => expectAnswer(await gate.check(asked))),
      { numRuns: rounds(1000, 3000) },
    )
  })

  // conformance: Attacks / 22. An attacker forges a token or changes its spelling or algorithm
  test('whatever stands in the place of the token, and only the right one is admitted', async () => {
    const asked = { method: 'GET', target: `${prefix}/v1/chunks/a/b` }
    await fc.assert(
      fc.asyncProperty(authorization, async (value) => {
        const checked = await gate.check({ ...asked, headers: ['Authorization', value] })
        expectAnswer(checked)
        expect(checked.ok).toBe(value.replace(/^bearer /i, 'Bearer ') === right)
      }),
      { numRuns: rounds(1000, 3000) },
    )
  })

  test('whatever header and claims were signed by the right key', async () => {
    const json = fc.oneof(
      fc.json(),
      text,
      fc
        .record({ name: fc.constantFrom(...Object.keys(claims())), value: fc.jsonValue() })
        .map((change) => JSON.stringify({ ...claims(), [change.name]: change.value })),
    )
    const head = fc.oneof(
      fc.constant(Buffer.from(signingKey.header, 'base64url').toString()),
      fc.json(),
      text,
    )
    const asked = { method: 'GET', target: `${prefix}/v1/chunks/a/b` }
    await fc.assert(
      fc.asyncProperty(head, json, async (first, second) => {
        const headers = ['Authorization', `Bearer ${signed(first, second)}`]
        expectAnswer(await gate.check({ ...asked, headers }))
      }),
      { numRuns: rounds(500, 1000) },
    )
  })

  test.each(forwardAuthProxies)(
    'nor does its endpoint for %s, whatever the question',
    async (proxy) => {
      const answer = forwardAuthEndpoint(gate, proxy, { clock })
      await fc.assert(
        fc.asyncProperty(request, async (asked) => {
          const { answer: given } = await answer(asked)
          expect([200, 400, 401, 403, 404]).toContain(given.status)
        }),
        { numRuns: rounds(200, 500) },
      )
    },
  )
})

function signed(header: string, payload: string): string {
  const data = [header, payload].map((part) => Buffer.from(part).toString('base64url')).join('.')
  const key = { key: signingKey.privateKey, dsaEncoding: 'ieee-p1363' } as const
  return `${data}.${sign('sha256', Buffer.from(data), key).toString('base64url')}`
}
