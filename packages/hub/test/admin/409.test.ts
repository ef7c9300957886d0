import { test } from 'vitest'
import { expectProblem, openAdmin } from './open-admin.ts'

test('a change that contradicts what is there is a conflict', async () => {
  const { call, done } = await openAdmin()
  await done('account create', { name: 'ada' })
  expectProblem(await call('POST', '/accounts', { body: { name: 'ADA' } }), 'conflict', {
    next: ['account', 'show', 'ada'],
  })
})
