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
  const { call } = openAdmin()
  expectProblem(await call('GET', path), 'not_found')
})

test('what a path names and is not there is a resource that is not found', async () => {
  const { call } = openAdmin()
  expectProblem(await call('GET', '/accounts/ada'), 'resource_not_found')
  expectProblem(await call('DELETE', '/repositories/models/acme/bert'), 'resource_not_found')
  expectProblem(await call('GET', `/hub-tokens/${'a'.repeat(26)}`), 'resource_not_found')
})
