import { expect, test } from 'vitest'
import { openAdmin } from './open-admin.ts'

const known = { actor: 'root', hubTokenId: 'admin-token', requestId: 'request-1' }

test('every call is logged once, with who did what and how it ended', async () => {
  const { call, logged } = openAdmin()
  await call('POST', '/accounts', { body: { name: 'ada' } })
  await call('POST', '/accounts', { body: { name: 'ada' } })
  await call('POST', '/accounts', { body: '{' })
  await call('GET', '/accounts', { as: '' })
  await call('GET', '/keys', { as: 'accounts' })
  const durationMs = expect.any(Number)
  const stranger = { actor: undefined, hubTokenId: undefined, requestId: 'request-1' }
  expect(logged).toEqual([
    { verb: 'account create', ...known, outcome: 'done', code: undefined, durationMs },
    { verb: 'account create', ...known, outcome: 'refused', code: 'conflict', durationMs },
    { verb: 'account create', ...known, outcome: 'refused', code: expect.any(String), durationMs },
    {
      verb: 'account list',
      ...stranger,
      outcome: 'refused',
      code: 'hub_token_missing',
      durationMs,
    },
    { verb: 'keys list', ...known, outcome: 'refused', code: 'permission_denied', durationMs },
  ])
})

test('no value of an input reaches the log', async () => {
  const { call, logged } = openAdmin()
  await call('POST', '/accounts', { body: { name: 'canary' } })
  await call('GET', '/accounts/canary')
  await call('GET', '/accounts?after=canary&limit=canary')
  expect(logged).toHaveLength(3)
  expect(JSON.stringify(logged)).not.toContain('canary')
})
