import { expect, test } from 'vitest'
import { openAdmin, requestId } from './open-admin.ts'

const known = { subject: 'admin-account', hubToken: 'admin-token', requestId }

test('every call is logged once, with who did what and how it ended', async () => {
  const { call, logged } = openAdmin()
  await call('POST', '/accounts', { body: { name: 'ada' } })
  await call('POST', '/accounts', { body: { name: 'ada' } })
  await call('POST', '/accounts', { body: '{' })
  await call('GET', '/accounts', { as: '' })
  await call('GET', '/keys', { as: 'accounts' })
  const milliseconds = expect.any(Number)
  const stranger = { subject: undefined, hubToken: undefined, requestId }
  expect(logged).toEqual([
    { verb: 'account create', ...known, outcome: 'done', code: undefined, milliseconds },
    { verb: 'account create', ...known, outcome: 'refused', code: 'conflict', milliseconds },
    {
      verb: 'account create',
      ...known,
      outcome: 'refused',
      code: expect.any(String),
      milliseconds,
    },
    {
      verb: 'account list',
      ...stranger,
      outcome: 'refused',
      code: 'hub_token_missing',
      milliseconds,
    },
    { verb: 'keys list', ...known, outcome: 'refused', code: 'permission_denied', milliseconds },
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
