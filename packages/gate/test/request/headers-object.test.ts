/** The gate takes a `Headers` object too, and opens nothing by it that the same headers as raw pairs do not open. */

import { forwardAuth } from '@latchkey/gateway/forward-auth'
import { casUrl, issuer, keys, movedClock, token } from '@latchkey/testing/gate/storage-tokens'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createGate } from '../../src/check/create-gate.ts'
import { placeByPrefix } from '../../src/place/locate.ts'
import type { GateRequest } from '../../src/request/read-request.ts'
import { asking, gateWith, outcome, readPath } from '../check/ask.ts'

type Pair = readonly [name: string, value: string]

const gate = gateWith()
const bearer = `Bearer ${token()}`

function joined(pairs: readonly Pair[]): Headers {
  const headers = new Headers()
  for (const [name, value] of pairs) headers.append(name, value)
  return headers
}

const request = (headers: GateRequest['headers']): GateRequest => ({
  method: 'GET',
  target: readPath,
  headers,
})

test('a request with one Authorization header in a Headers object is admitted', async () => {
  expect(await outcome(gate, request(joined([['Authorization', bearer]])))).toBe('admitted')
})

describe('two Authorization headers that a Headers object has joined are refused as two', () => {
  test.each<[string, readonly Pair[]]>([
    [
      'the same twice',
      [
        ['Authorization', bearer],
        ['authorization', bearer],
      ],
    ],
    [
      'a good and an empty one',
      [
        ['Authorization', bearer],
        ['Authorization', ''],
      ],
    ],
    [
      'an empty and a good one',
      [
        ['Authorization', ''],
        ['Authorization', bearer],
      ],
    ],
    [
      'a good and another scheme',
      [
        ['Authorization', bearer],
        ['Authorization', 'Basic eA=='],
      ],
    ],
    [
      'another scheme and a good one',
      [
        ['Authorization', 'Basic eA=='],
        ['Authorization', bearer],
      ],
    ],
    ['a comma in one', [['Authorization', `${bearer},`]]],
    ['a comma before one', [['Authorization', `,${bearer}`]]],
  ])('%s', async (_, pairs) => {
    expect(await outcome(gate, request(joined(pairs)))).toBe('storage_token_invalid')
  })

  test('with the code that two raw ones get', async () => {
    const pairs: readonly Pair[] = [
      ['Authorization', 'Basic eA=='],
      ['Authorization', 'Basic eQ=='],
    ]
    const raw = await outcome(gate, request(pairs.flat()))
    expect(raw).toBe('storage_token_invalid')
    expect(await outcome(gate, request(joined(pairs)))).toBe(raw)
  })
})

describe('a Headers object is refused for', () => {
  test.each<Pair>([
    ['Latchkey-Subject', 'ada'],
    ['X-HTTP-Method-Override', 'DELETE'],
    ['Upgrade', 'websocket'],
    ['Transfer-Encoding', 'chunked, chunked'],
    ['Content-Length', '5, 5'],
    ['Trailer', 'Expires, Latchkey-Subject'],
  ])('%s: %s', async (name, value) => {
    const headers = joined([
      ['Authorization', bearer],
      [name, value],
    ])
    expect(await outcome(gate, request(headers))).toBe('bad_request')
  })
})

test('the headers of Node as a plain object are an error, not a request without headers', async () => {
  const headers = { authorization: bearer } as unknown as Headers
  await expect(gate.check(request(headers))).rejects.toThrow(TypeError)
})

test('a request of a class keeps its getters', async () => {
  class Own implements GateRequest {
    readonly #request = request(joined([['Authorization', `${bearer.slice(0, -8)}AAAAAAAA`]]))
    get method() {
      return this.#request.method
    }
    get target() {
      return this.#request.target
    }
    get headers() {
      return this.#request.headers
    }
    get address() {
      return '192.0.2.1'
    }
  }
  const limited = gateWith({ failuresPerMinute: 1 })
  expect(await outcome(limited, new Own())).toBe('storage_token_invalid')
  expect(await outcome(limited, new Own())).toBe('rate_limited')
})

test('a request that passes with a Headers object passes with the same headers as raw pairs', async () => {
  const name = fc.constantFrom(
    ...['Authorization', 'authorization', 'Content-Length', 'Transfer-Encoding', 'Trailer'],
    ...['Accept', 'Latchkey-Ref', 'X-Original-URL', 'Destination', 'Upgrade'],
  )
  const value = fc.constantFrom(
    bearer,
    'Bearer x',
    '',
    ',',
    'Basic eA==',
    '0',
    '5',
    'chunked',
    'a, b',
  )
  const pairs = fc.array(fc.tuple(name, value), { maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(pairs, async (list) => {
      const byObject = await outcome(gate, request(joined(list)))
      const byPairs = await outcome(gate, request(list.flat()))
      if (byObject === 'admitted') expect(byPairs).toBe('admitted')
    }),
    { numRuns: 500, examples: [[[['Authorization', bearer]]]] },
  )
})

test('a locate function reads names and values in turn, whichever form they came in', async () => {
  const byPrefix = placeByPrefix(casUrl, undefined)
  const seen: unknown[] = []
  const locating = createGate({
    ...{ keys, issuer, audience: casUrl.split('/{')[0] ?? '', clock: movedClock().now },
    locate(given) {
      seen.push(given.headers)
      const { repositoryUid = '', refUid = '', path = '' } = byPrefix(given) ?? {}
      return { repositoryUid, refUid, path }
    },
  })
  await locating.check(request(joined([['Authorization', bearer]])))
  await locating.check(asking(bearer))
  expect(seen).toEqual([
    ['authorization', bearer],
    ['Authorization', bearer],
  ])
})

test('the forward-auth endpoint refuses a Request with two Authorization headers', async () => {
  const endpoint = forwardAuth(gate, 'nginx')
  const ask = (authorization: readonly string[]) =>
    endpoint(
      new Request('https://gate.example/', {
        headers: joined([
          ['X-Original-Method', 'GET'],
          ['X-Original-URI', readPath],
          ...authorization.map((value): Pair => ['Authorization', value]),
        ]),
      }),
    )
  expect((await ask([bearer])).status).toBe(200)
  expect((await ask([bearer, bearer])).status).toBe(401)
})
