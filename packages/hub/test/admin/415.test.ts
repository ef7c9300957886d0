import { test } from 'vitest'
import { expectProblem, openAdmin } from './open-admin.ts'

test.each([
  ...['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', ''],
  ...['nonsense', ';;;', 'application/'],
])('a body of type %j is refused', async (type) => {
  const { call } = await openAdmin()
  const headers = {
    authorization: 'Bearer all',
    ...(type === '' ? {} : { 'content-type': type }),
  }
  const response = await call('POST', '/accounts', { headers, payload: '{"name":"ada"}' })
  expectProblem(response, 'unsupported_media_type')
})
