import { expect, test } from 'vitest'
import { expectProblem, openAdmin } from './open-admin.ts'

const json = { 'content-type': 'application/json', authorization: 'Bearer all' }

test.each([
  ['a member that is missing', 'POST', '/accounts', {}, 'name'],
  ['a member that is not known', 'POST', '/accounts', { name: 'ada', admin: true }, 'admin'],
  ['a name that cannot be', 'POST', '/accounts', { name: '.ada' }, 'name'],
  ['a value of another type', 'PATCH', '/accounts/ada', { disabled: 'yes' }, 'disabled'],
  ['a member of the path in the body', 'PATCH', '/accounts/ada', { account: 'bob' }, 'account'],
  ['a repository that cannot be', 'GET', '/repositories/models/acme/.x', undefined, 'repository'],
  ['a ref that cannot be', 'GET', '/repositories/models/a/b/refs/HEAD', undefined, 'ref'],
  ['a query that is not known', 'GET', '/accounts?order=name', undefined, 'order'],
  ['a query given twice', 'GET', '/accounts?limit=1&limit=2', undefined, 'limit'],
  ['a limit that is too large', 'GET', '/accounts?limit=1001', undefined, 'limit'],
] as const)('%s is refused with its place', async (_, method, path, body, place) => {
  const { call } = await openAdmin()
  expectProblem(await call(method, path, { body }), 'bad_request', { path: place })
})

test.each([
  ['no JSON', '{"name": }'],
  ['a list', '[]'],
  ['a text', '"ada"'],
  ['null', 'null'],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
])('a body that is %s is refused', async (_, payload) => {
  const { call } = await openAdmin()
  expectProblem(await call('POST', '/accounts', { headers: json, payload }), 'bad_request')
})

test('a member given twice is refused', async () => {
  const { call } = await openAdmin()
  const payload = '{"name":"ada","name":"eve"}'
  expectProblem(await call('POST', '/accounts', { headers: json, payload }), 'bad_request', {
    path: 'name',
  })
})

test('a prototype in a body changes nothing', async () => {
  const { call, run } = await openAdmin()
  for (const payload of [
    '{"name":"ada","__proto__":{"administrator":true}}',
    '{"name":"ada","constructor":{"prototype":{"administrator":true}}}',
  ]) {
    expectProblem(await call('POST', '/accounts', { headers: json, payload }), 'bad_request')
  }
  expect(await run('account list')).toMatchObject({ total: 0 })
  expect({}).not.toHaveProperty('administrator')
})

test('a body where none belongs is refused', async () => {
  const { call } = await openAdmin()
  const body = { account: 'bob' }
  expectProblem(await call('DELETE', '/accounts/ada', { body }), 'bad_request')
})

test('a mistake in a directory file is answered with its place in the file', async () => {
  const { call } = await openAdmin()
  const mistaken = { accounts: [{ name: 'ada' }, { name: 'x', kind: 'robot' }] }
  for (const file of [mistaken, JSON.stringify(mistaken)]) {
    expectProblem(await call('POST', '/apply', { body: { file } }), 'bad_request', {
      path: 'accounts[1].kind',
    })
  }
})
