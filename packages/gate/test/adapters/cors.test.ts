/** Pages of listed origins may use a guarded storage, through every adapter. */

import { bearer, prefix } from '@latchkey/testing/gate/storage-tokens'
import type { HeaderLine } from '@latchkey/testing/vectors/read-vectors'
import { describe, expect, test } from 'vitest'
import { adapters } from './adapters.ts'

const target = `${prefix}/v1/chunks/default/abc`
const page = 'https://app.example'
const origin: HeaderLine = ['Origin', page]
const preflight = {
  method: 'OPTIONS',
  target,
  headers: [
    origin,
    ['Access-Control-Request-Method', 'GET'],
    ['Access-Control-Request-Headers', 'authorization'],
  ] satisfies HeaderLine[],
}
const authorization = (): HeaderLine => ['Authorization', bearer()]

describe.each(Object.entries(adapters))('through %s', (_, open) => {
  test('a preflight is answered before a token is asked for', async () => {
    const { send, handled } = await open([page])
    const { status, header, body } = await send(preflight)
    expect([status, body]).toEqual([204, ''])
    expect(header('access-control-allow-origin')).toBe(page)
    expect(header('access-control-allow-methods')).toContain('PUT')
    expect(header('access-control-allow-headers')).toContain('Authorization')
    expect(header('cache-control')).toBe('no-store')
    expect(header('x-request-id')).toMatch(/^[a-z2-7]{26}$/)
    expect(handled()).toBe(0)
  })

  test('a preflight of another origin is told nothing that would let it pass', async () => {
    const { send, handled } = await open(['https://other.example'])
    const { status, header } = await send(preflight)
    expect(status).toBe(204)
    expect(header('access-control-allow-origin')).toBeUndefined()
    expect(header('access-control-allow-headers')).toBeUndefined()
    expect(handled()).toBe(0)
  })

  test('OPTIONS that is no preflight needs a token', async () => {
    const { send, handled } = await open([page])
    expect((await send({ method: 'OPTIONS', target, headers: [] })).status).toBe(401)
    expect((await send({ method: 'OPTIONS', target, headers: [origin] })).status).toBe(401)
    expect(handled()).toBe(0)
  })

  test('an answer can be read by a page of a listed origin, and by no other', async () => {
    const { send } = await open([page])
    const answered = await send({ method: 'GET', target, headers: [authorization(), origin] })
    expect([answered.status, answered.body]).toEqual([200, 'hello'])
    expect(answered.header('access-control-allow-origin')).toBe(page)
    expect(answered.header('access-control-expose-headers')).toContain('ETag')
    expect(answered.header('vary')).toContain('Origin')
    const other: HeaderLine = ['Origin', 'https://other.example']
    const unlisted = await send({ method: 'GET', target, headers: [authorization(), other] })
    expect(unlisted.header('access-control-allow-origin')).toBeUndefined()
    expect(unlisted.header('vary')).toContain('Origin')
  })

  test('a refusal can be read by a page too, its challenge and its id included', async () => {
    const { send } = await open([page])
    const { status, header } = await send({ method: 'GET', target, headers: [origin] })
    expect(status).toBe(401)
    expect(header('access-control-allow-origin')).toBe(page)
    expect(header('access-control-expose-headers')).toContain('WWW-Authenticate')
    expect(header('access-control-expose-headers')).toContain('X-Request-Id')
  })

  test('every origin may read when the operator says so', async () => {
    const { send } = await open(['*'])
    const { header } = await send({ method: 'GET', target, headers: [authorization(), origin] })
    expect(header('access-control-allow-origin')).toBe('*')
  })

  test('no origin may read unless the operator says so', async () => {
    const { send } = await open()
    const { status, header } = await send({
      method: 'GET',
      target,
      headers: [authorization(), origin],
    })
    expect(status).toBe(200)
    expect(header('access-control-allow-origin')).toBeUndefined()
  })
})
