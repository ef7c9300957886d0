import { acme } from '@latchkey/testing/hub/acme'
import { ask, hubToken } from '@latchkey/testing/hub/ask'
import { withBrokenDatabase } from '@latchkey/testing/hub/statements'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { disturb } from './changes.ts'
import { codeOf } from './compare.ts'

const what = 'read models/acme/bert@main'

let world: World
beforeAll(async () => {
  world = await startWorld(acme)
})
afterAll(() => world.close())

// conformance: Responses / An internal error shows the client only the request id
test('a broken database is a 500 that tells the client no more than the request id', async () => {
  await disturb(world)
  const told = await withBrokenDatabase('no such table: canary', () =>
    ask(world, what, { as: 'writer/write' }),
  )
  expect(codeOf(told)).toEqual([500, 'internal_error'])
  expect(told.headers.get('x-request-id')).toBe(told.json['requestId'])
  expect(told.text + JSON.stringify([...told.headers])).not.toMatch(/canary|at .+\.ts/)
})

// conformance: Responses / An internal error shows the client only the request id
test('the log tells why, under the same request id, and without secrets', async () => {
  const token = hubToken(world, 'writer/write')
  await disturb(world)
  const before = world.logLines.length
  const told = await withBrokenDatabase(`cannot find ${token} in canary`, () =>
    ask(world, what, { as: 'writer/write' }),
  )
  const lines = world.logLines.slice(before)
  const failure = lines
    .map((line) => JSON.parse(line))
    .find(({ event }) => event === 'request_failed')
  expect(failure).toMatchObject({ level: 'error', requestId: told.json['requestId'] })
  expect(failure.error).toContain('canary')
  expect(lines.join('')).not.toContain(token)
})

// conformance: Responses / An internal error shows the client only the request id
test('the request after a failure is answered', async () => {
  await disturb(world)
  await withBrokenDatabase('broken', () => ask(world, what, { as: 'writer/write' }))
  expect((await ask(world, what, { as: 'writer/write' })).status).toBe(200)
})
