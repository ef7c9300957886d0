/** Which origins a browser lets read an answer, as header lines. */

import { describe, expect, test } from 'vitest'
import { createCors, isPreflight } from '../src/cors.ts'

const app = 'https://app.example'
const rules = {
  methods: ['GET', 'PUT'],
  requestHeaders: ['Authorization', 'Range'],
  exposed: ['Date', 'ETag'],
}

test('without listed origins no answer has a header of this kind', () => {
  const cors = createCors({ ...rules, origins: [] })
  expect([cors.headersFor(app), cors.preflightHeadersFor(app)]).toEqual([[], []])
})

test.each([undefined, 'null', 'https://APP.example', 'https://app.example.evil'])(
  'the origin %s learns only that the answer depends on it',
  (origin) => {
    const cors = createCors({ ...rules, origins: [app] })
    expect(cors.headersFor(origin)).toEqual(['Vary', 'Origin'])
    expect(cors.preflightHeadersFor(origin)).toEqual(['Vary', 'Origin'])
  },
)

test('a listed origin may read the answer and the exposed headers', () => {
  const { headersFor } = createCors({ ...rules, origins: ['https://other.example', app] })
  expect(headersFor(app)).toEqual([
    ...['Vary', 'Origin'],
    ...['Access-Control-Allow-Origin', app],
    ...['Access-Control-Expose-Headers', 'Date, ETag'],
  ])
})

test('a listed origin that asks beforehand hears what it may send', () => {
  const { preflightHeadersFor } = createCors({ ...rules, origins: [app] })
  expect(preflightHeadersFor(app)).toEqual([
    ...['Vary', 'Origin'],
    ...['Access-Control-Allow-Origin', app],
    ...['Access-Control-Allow-Methods', 'GET, PUT'],
    ...['Access-Control-Allow-Headers', 'Authorization, Range'],
    ...['Access-Control-Max-Age', '600'],
  ])
})

test('a star opens the answer to every origin alike, and to none that says nothing', () => {
  const { headersFor } = createCors({ ...rules, origins: [app, '*'] })
  expect(headersFor(app).slice(0, 2)).toEqual(['Access-Control-Allow-Origin', '*'])
  expect(headersFor('https://any.example')).toEqual(headersFor(app))
  expect(headersFor(undefined)).toEqual([])
})

describe('a preflight', () => {
  const whole = { method: 'OPTIONS', origin: app, requestMethod: 'PUT' }

  test('has the method OPTIONS, an origin and the method asked for', () => {
    expect(isPreflight(whole)).toBe(true)
  })

  test.each([{ method: 'GET' }, { origin: undefined }, { requestMethod: undefined }])(
    'is no preflight with %j',
    (change) => {
      expect(isPreflight({ ...whole, ...change })).toBe(false)
    },
  )
})
