import { test } from 'vitest'
import { expectProblem, openAdmin } from './open-admin.ts'

test('a place that the journal does not have is gone', async () => {
  const { call } = await openAdmin()
  expectProblem(await call('GET', '/changes?after=1'), 'cursor_unknown', {
    path: 'after',
    next: ['changes'],
  })
})
