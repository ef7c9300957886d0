import { expect, test } from 'vitest'
import { expectProblem, openAdmin } from './open-admin.ts'

test.each([
  ['DELETE', '/accounts', 'POST, GET, HEAD'],
  ['POST', '/accounts/ada', 'GET, HEAD, PATCH, DELETE'],
  ['GET', '/namespaces/acme/members/ada', 'PUT, DELETE'],
  ['PATCH', '/repositories/models/acme/bert/refs/main', 'PUT, GET, HEAD, DELETE'],
  ['GET', '/apply', 'POST'],
  ['OPTIONS', '/keys', 'GET, HEAD'],
  ['QUERY', '/keys', 'GET, HEAD'],
  ['PROPFIND', '/keys', 'GET, HEAD'],
] as const)('%s does nothing at %s and is told what does', async (method, path, allow) => {
  const { call } = await openAdmin()
  const response = await call(method, path)
  expectProblem(response, 'method_not_allowed')
  expect(response.headers.allow).toBe(allow)
})
