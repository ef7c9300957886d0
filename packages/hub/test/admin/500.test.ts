import { StorageFull } from '@latchkey/service/database'
import { expect, test } from 'vitest'
import { expectProblem, openAdmin } from './open-admin.ts'

function broken(error: unknown) {
  const fail = () => Promise.reject(error)
  return openAdmin({ directory: { read: fail, readBeside: fail, change: fail, note: fail } })
}

test('a failure tells the caller nothing and the log everything', async () => {
  const error = new Error('the secret of the database')
  const { call, failures, logged } = await broken(error)
  const response = await call('GET', '/accounts')
  expectProblem(response, 'internal_error')
  expect(response.body).not.toContain('secret')
  expect(failures).toEqual([error])
  expect(logged).toMatchObject([{ outcome: 'failed', code: 'internal_error' }])
})

test('a failure of the check itself lets nobody in', async () => {
  const { call, run } = await openAdmin({ identify: () => Promise.reject(new Error('gone')) })
  expectProblem(await call('POST', '/accounts', { body: { name: 'eve' } }), 'internal_error')
  expect(await run('account list')).toMatchObject({ total: 0 })
})

test('a full disk is told as such and is no failure of the service', async () => {
  const { call, failures, logged } = await broken(new StorageFull())
  expectProblem(await call('POST', '/accounts', { body: { name: 'ada' } }), 'storage_full')
  expect(failures).toEqual([])
  expect(logged).toMatchObject([{ outcome: 'refused', code: 'storage_full' }])
})
