import { Secret } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import { askLink, startLinked } from './ask-link.ts'

const limits = { requestsPerMinute: 3, failuresPerMinute: 3 }

async function statuses(count: number, ask: () => ReturnType<typeof askLink>): Promise<number[]> {
  const found: number[] = []
  for (let time = 0; time < count; time += 1) found.push((await ask()).status)
  return found
}

test('failures are limited by address, and right credentials pass beside them', async () => {
  const world = await startLinked({ limits })
  const as = new Secret('hub-token', 'x')
  expect(await statuses(5, () => askLink(world, 'changes', { as }))).toEqual([
    ...[401, 401, 401],
    ...[429, 429],
  ])
  expect((await askLink(world, 'changes')).status).toBe(200)
  expect((await askLink(world, 'changes', { as: world.hub.embedded.credential })).status).toBe(200)
})

test('hub tokens of other kinds are limited here as everywhere', async () => {
  const world = await startLinked({ limits })
  const ask = () => askLink(world, 'changes', { as: 'ada/write' })
  expect(await statuses(5, ask)).toEqual([403, 403, 403, 429, 429])
})

test('a storage may ask as often as it has uploads', async () => {
  const world = await startLinked({ limits })
  expect(await statuses(10, () => askLink(world, 'changes'))).toEqual(Array(10).fill(200))
})
