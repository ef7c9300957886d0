import { verbs } from '@latchkey/admin-api'
import { expect, test } from 'vitest'
import { exampleOf } from './example-path.ts'
import { expectProblem, openAdmin } from './open-admin.ts'

test('no verb answers a request without a hub token', async () => {
  const { call } = await openAdmin()
  for (const verb of verbs) {
    const response = await call(verb.method, exampleOf(verb), { as: '' })
    expectProblem(response, 'hub_token_missing')
    expect(response.headers['www-authenticate']).toBe('Bearer realm="latchkey"')
  }
})

test('a hub token that counts for nothing is told so after RFC 6750', async () => {
  const { call } = await openAdmin()
  const response = await call('GET', '/accounts', { as: 'unknown' })
  expectProblem(response, 'hub_token_invalid')
  expect(response.headers['www-authenticate']).toMatch(/^Bearer .*error="invalid_token"/)
})

test('the body of a stranger is not even looked at', async () => {
  const { call } = await openAdmin()
  const body = 'x'.repeat(8 * 1024 * 1024)
  expectProblem(await call('POST', '/apply', { as: '', body }), 'hub_token_missing')
})

test('a refusal that asks to wait says for how long', async () => {
  const { call } = await openAdmin()
  const response = await call('GET', '/accounts', { as: 'flood' })
  expectProblem(response, 'rate_limited')
  expect(response.headers['retry-after']).toBe('7')
})
