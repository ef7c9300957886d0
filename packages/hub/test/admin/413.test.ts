import { expect, test } from 'vitest'
import { largestBodyBytes } from '../../src/admin/register-admin.ts'
import { expectProblem, openAdmin } from './open-admin.ts'

test('a body larger than 4 MiB is refused', async () => {
  const { call } = openAdmin()
  const body = { file: ' '.repeat(largestBodyBytes) }
  expectProblem(await call('POST', '/apply', { body }), 'body_too_large')
})

test('a body of almost 4 MiB is read', async () => {
  const { call } = openAdmin()
  const body = { file: `${' '.repeat(largestBodyBytes - 100)}{}` }
  const response = await call('POST', '/apply', { body })
  expect(response.json()).toEqual({ changes: [], hubTokens: [] })
})
