import { verbs } from '@latchkey/admin-api'
import { expect, test } from 'vitest'
import { exampleOf } from './example-path.ts'
import { expectProblem, openAdmin } from './open-admin.ts'

test('no verb takes a hub token of another kind, not even of an administrator', async () => {
  const { call } = await openAdmin()
  for (const verb of verbs) {
    const response = await call(verb.method, exampleOf(verb), { as: 'write' })
    expectProblem(response, 'permission_denied', { missing: 'a hub token of kind admin' })
    expect(response.headers['www-authenticate']).toMatch(/error="insufficient_scope"/)
  }
})

// conformance: Attacks / 11. An attacker uses an admin hub token for storage or beyond its scopes
test('no verb takes an admin hub token whose account is no administrator any more', async () => {
  const { call } = await openAdmin()
  for (const verb of verbs) {
    expectProblem(await call(verb.method, exampleOf(verb), { as: 'fallen' }), 'permission_denied', {
      missing: 'an account that is an administrator',
    })
  }
})

// conformance: Attacks / 11. An attacker uses an admin hub token for storage or beyond its scopes
test('an admin hub token reaches the verbs of its groups and no others', async () => {
  const { call } = await openAdmin()
  for (const verb of verbs) {
    const response = await call(verb.method, exampleOf(verb), { as: 'accounts' })
    if (verb.group === 'account') expect(response.statusCode).not.toBe(403)
    else {
      const missing = `the admin scope ${verb.group}`
      expectProblem(response, 'permission_denied', { missing })
    }
  }
})

test('the group apply reaches every verb', async () => {
  const { call } = await openAdmin()
  for (const verb of verbs) {
    const response = await call(verb.method, exampleOf(verb), { as: 'applies' })
    expect([verb.words, response.statusCode]).not.toEqual([verb.words, 403])
  }
})

test('a limited admin hub token cannot make an administrator', async () => {
  const { call, run } = await openAdmin()
  const body = { name: 'eve', administrator: true }
  expectProblem(await call('POST', '/accounts', { as: 'accounts', body }), 'permission_denied', {
    missing: 'an admin hub token that is not limited to admin scopes',
  })
  expect(await run('account list')).toMatchObject({ total: 0 })
})
