/** What every route refuses, in the order in which it is judged: no token, the wrong one, no such thing. */

import { answersIn } from '@latchkey/testing/http/raw-answers'
import { head, saidAlone } from '@latchkey/testing/http/raw-line'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller, Told } from '../caller.ts'
import { openStage, type Stage } from '../stage.ts'
import { everyRoute, methodsOf, someHash } from './every-route.ts'

let stage: Stage
let reader: Caller
let writer: Caller
beforeAll(async () => {
  stage = await openStage()
  const repository = await stage.newRepository()
  reader = await stage.caller(`read ${repository}@main`)
  writer = await stage.caller(`write ${repository}@main`)
})
afterAll(() => stage.close())

const named = everyRoute.map((route) => [route.name, route] as const)
const writes = named.filter(([, { wants }]) => wants === 'write')
const hashed = named.filter(([name]) => name.includes('{hash}'))
const lookups = hashed.filter(([, { wants }]) => wants === 'read')
const paths = [...new Set(everyRoute.map(({ path }) => path))]

/** What HEAD says it says without a body. */
function expectRefusal(told: Told, status: number, code: string): void {
  expect(told.status).toBe(status)
  if (told.text !== '') expect(told.json).toMatchObject({ status, code })
  expect(told.headers.get('x-request-id')).toMatch(/^[a-z2-7]{26}$/)
  expect(told.headers.get('cache-control')).toBe('no-store')
  expect(told.headers.get('x-error-message')).toBeTruthy()
}

function bodyFor(method: string) {
  return ['GET', 'HEAD'].includes(method) ? {} : { body: 'anything' }
}

describe.each(named)('%s', (_, { method, path }) => {
  test('without a token is a 401', async () => {
    const told = await writer.ask(`${method} ${path}`, { token: null, ...bodyFor(method) })
    expectRefusal(told, 401, 'storage_token_missing')
    expect(told.headers.get('www-authenticate')).toBe('Bearer realm="latchkey"')
  })

  test('with what is no token is a 401', async () => {
    const token = writer.token.slice(0, -4)
    const told = await writer.ask(`${method} ${path}`, { token, ...bodyFor(method) })
    expectRefusal(told, 401, 'storage_token_invalid')
    expect(told.headers.get('www-authenticate')).toContain('error="invalid_token"')
  })
})

// conformance: Embedded storage / Write routes need a write token, with any spelling of the path
test.each(writes)('%s with a token for reading is a 403', async (_, { method, path }) => {
  const told = await reader.ask(`${method} ${path}`, { body: 'anything' })
  expectRefusal(told, 403, 'insufficient_scope')
})

// conformance: Embedded storage / Write routes need a write token, with any spelling of the path
test('these are the routes that write', () => {
  expect(new Set(writes.map(([, { path }]) => path.replace(someHash, '…')))).toEqual(
    new Set([
      ...['/v1/xorbs/default/…', '/v1/xorb/default/…', '/xorb/default/…', '/xorb/…'],
      ...['/v1/xorb-grants/default/…', '/v1/xorb-commits/default/…/grant/{id}'],
      ...['/v1/shards', '/v1/shard', '/shard', '/shard/default-merkledb/…', '/v2/shards'],
      '/v1/shards/adopt',
    ]),
  )
})

test.each(hashed)('%s with a hash that is none is a 400', async (_, { method, path }) => {
  for (const wrong of [someHash.toUpperCase(), `${someHash.slice(1)}g`, `${someHash.slice(1)}-`]) {
    const call = `${method} ${path.replace(someHash, wrong)}`
    expectRefusal(await writer.ask(call, bodyFor(method)), 400, 'bad_request')
  }
})

test.each(lookups)('%s of what is not there is a 404', async (_, { method, path }) => {
  const told = await reader.ask(`${method} ${path}`)
  expectRefusal(told, 404, 'resource_not_found')
})

test.each(paths)('%s with another method is a 405 that names the right ones', async (path) => {
  const right = methodsOf(path)
  const wrong = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
    (method) => !right.includes(method),
  )
  for (const method of wrong) {
    const told = await writer.ask(`${method} ${path}`)
    expectRefusal(told, 405, 'method_not_allowed')
    expect(told.headers.get('allow')?.split(', ').toSorted()).toEqual(right.toSorted())
  }
})

test.each([
  '',
  '/v1',
  '/v1/xorbs',
  '/v1/xorbs/default',
  '/v1/xorbs/default/abc',
  `/v1/xorbs/default/${someHash}0`,
  `/v1/xorbs/other/${someHash}`,
  `/v1/xorbs/default/${someHash}/${someHash}`,
  `/v1/reconstructions/${someHash}/more`,
  `/v2/chunks/default/${someHash}`,
  `/V1/chunks/default/${someHash}`,
  '/v2/reconstructions',
  '/v1/xorbs/default/{hash}',
  '/constructor',
])('%j leads nowhere and is a 404', async (path) => {
  expectRefusal(await reader.ask(`GET ${path}`), 404, 'not_found')
})

test.each([
  '/v1//shards',
  '/v1/shards/',
  '/v1/./shards',
  '/v1/%73hards',
  `/v1/xorbs/default/..%2f${someHash}`,
])('%j is not in its normal form and is a 400', async (path) => {
  const { pathname } = new URL(writer.url)
  const authorization = `Bearer ${writer.token}`
  const said = ['Content-Length: 0', 'Connection: close']
  const told = await saidAlone(stage.url, head(`POST ${pathname}${path}`, said, { authorization }))
  expect(answersIn(told)).toMatchObject([{ status: 400 }])
})

test('a token that is over is a 401, and one within the leeway is not', async () => {
  const { token } = await stage.caller('write models/acme/r1@main')
  const call = `GET /v1/chunks/default/${someHash}`
  stage.world.passSeconds(929)
  expectRefusal(await writer.ask(call, { token }), 404, 'resource_not_found')
  stage.world.passSeconds(1)
  expectRefusal(await writer.ask(call, { token }), 401, 'storage_token_invalid')
})

test('a refusal is plain JSON for who wants that', async () => {
  const call = `GET /v1/chunks/default/${someHash}`
  const headers = { accept: 'application/json' }
  const told = await writer.ask(call, { token: null, headers })
  expect(told.headers.get('content-type')).toBe('application/json')
  const problem = await writer.ask(call, { token: null })
  expect(problem.headers.get('content-type')).toBe('application/problem+json')
})
