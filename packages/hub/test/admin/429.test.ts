import { expect, test } from 'vitest'
import { namespaceChangesPerHour, namespaceLimit } from '../../src/sign-in/account-limits.ts'
import { expectProblem, openAdmin } from './open-admin.ts'

test('an admin hub token of a namespace changes so much in an hour, and reads on', async () => {
  const { call, done } = await openAdmin({ limitChanges: namespaceLimit(() => 0) })
  await done('namespace create', { name: 'acme' })
  const change = (as: string) => call('PUT', '/namespaces/acme/members/ada', { as, body: {} })
  for (let count = 0; count < namespaceChangesPerHour; count += 1) {
    expect((await change('manages')).statusCode).toBe(400)
  }
  expectProblem(await change('manages'), 'rate_limited')
  const read = await call('GET', '/namespaces/acme/members', { as: 'manages' })
  expect(read.statusCode).not.toBe(429)
  expect((await change('all')).statusCode).toBe(400)
})
