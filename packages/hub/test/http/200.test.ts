import { afterAll, beforeAll, expect, test } from 'vitest'
import { acme } from '../acme.ts'
import { ask, claimsOf } from '../ask.ts'
import { startWorld, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld(acme)
})
afterAll(() => world.close())

test('a write token names one repository, one ref and an expiry', async () => {
  const told = await ask(world, 'write models/acme/bert@main', { as: 'writer/write' })
  expect(told.status).toBe(200)
  expect(claimsOf(told)).toMatchObject({
    scope: 'write',
    repo: { type: 'model', id: 'acme/bert' },
    ref: { name: 'refs/heads/main' },
  })
})
