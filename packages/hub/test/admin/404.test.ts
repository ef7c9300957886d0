import { test } from 'vitest'
import { expectProblem, openAdmin } from './open-admin.ts'

test.each([
  '',
  '/',
  '/nothing',
  '/accounts/',
  '/accounts/ada/x',
  '/accounts/%ZZ',
  '/%61ccounts',
  '/repositories/models/acme',
  '/repositories/models/acme/bert/nothing',
  '/Accounts',
])('nothing is served at /admin/v1%s', async (path) => {
  const { call } = await openAdmin()
  expectProblem(await call('GET', path), 'not_found')
})

test('what a path names and is not there is a resource that is not found', async () => {
  const { call } = await openAdmin()
  const repository = 'models/acme/bert'
  for (const [method, path, next] of [
    ['GET', '/accounts/ada', ['account', 'create', 'ada']],
    ['DELETE', `/repositories/${repository}`, ['repo', 'create', repository]],
    ['GET', `/hub-tokens/${'a'.repeat(26)}`, ['hub-token', 'list']],
  ] as const) {
    expectProblem(await call(method, path), 'resource_not_found', { next })
  }
})
