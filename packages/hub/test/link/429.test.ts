import { asHubTokenId, Secret } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import { linkLimits } from '../../src/link/link-limits.ts'
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

test('a storage raises 6000 epochs a minute and no more, and another storage its own', async () => {
  const world = await startLinked()
  const repositories = Array.from({ length: 1000 }, (_, index) => `${index}`.padStart(26, 'a'))
  const raise = (as = 'cas/link') => askLink(world, 'epochs', { as, body: { repositories } })
  expect(await statuses(7, raise)).toEqual([...Array(6).fill(200), 429])
  const { headers, json } = await raise()
  expect(json).toMatchObject({ code: 'rate_limited', detail: expect.stringContaining('6000') })
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await raise('cas/other')).status).toBe(200)
})

test('a storage that asks again and again for more than is left gets it when it has waited', () => {
  let nowMs = 0
  const { refuseEpochs } = linkLimits(() => nowMs)
  const one = asHubTokenId('one')
  expect(refuseEpochs(one, 6000)).toBeUndefined()
  for (; nowMs < 10_000; nowMs += 500) {
    expect(refuseEpochs(one, 1000)).toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: Math.ceil((10_000 - nowMs) / 1000),
    })
  }
  expect(refuseEpochs(one, 1000)).toBeUndefined()
})

test('a storage has twelve questions under way and no more, and another storage its own', () => {
  const { takeSlot } = linkLimits(() => 0)
  const [one, other] = [asHubTokenId('one'), asHubTokenId('other')]
  const taken = Array.from({ length: 12 }, () => takeSlot(one))
  expect(taken).not.toContain(undefined)
  expect([takeSlot(one), takeSlot(other)]).toEqual([undefined, expect.any(Function)])
  taken[0]?.()
  expect([takeSlot(one), takeSlot(one)]).toEqual([expect.any(Function), undefined])
})
