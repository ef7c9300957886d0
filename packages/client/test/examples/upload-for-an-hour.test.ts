import { expect, it } from 'vitest'
import { upload } from '../../../../examples/client/upload-for-an-hour.ts'
import { openWorld } from '../world.ts'

const pieceCount = 200
const secondsBetween = 20
const lifetimeSeconds = 900

it('an upload of more than an hour sends every piece, and only the first one waits for a token', async () => {
  const world = openWorld()
  world.lifetimeSeconds = lifetimeSeconds
  const pieces = Array.from({ length: pieceCount }, (_, index) => `piece ${index}`)
  let isOnItsWay = false
  let waited = 0
  async function* madeSlowly() {
    for (const piece of pieces) {
      isOnItsWay = false
      await world.clock.pass(secondsBetween)
      isOnItsWay = true
      yield Buffer.from(piece)
    }
  }
  world.hub = () => {
    if (isOnItsWay) waited += 1
    return undefined
  }
  const startedMs = world.clock.trueMs()
  const names: string[] = []
  for await (const name of upload(world.client(), madeSlowly())) names.push(name)

  expect(world.clock.trueMs() - startedMs).toBe(pieceCount * secondsBetween * 1000)
  expect(world.clock.trueMs() - startedMs).toBeGreaterThan(3600 * 1000)
  expect(world.stored.map(({ body }) => body)).toEqual(pieces)
  expect(world.stored.map(({ url }) => url.split('/').at(-1))).toEqual(names)
  expect(waited).toBe(1)
  // Spent 30 s before the end, and renewed 15 to 30 s before that.
  const afterFirstSeconds = (pieceCount - 1) * secondsBetween
  const [soonest, latest] = [lifetimeSeconds - 60, lifetimeSeconds - 45]
  expect(world.asked.length).toBeGreaterThanOrEqual(1 + Math.floor(afterFirstSeconds / latest))
  expect(world.asked.length).toBeLessThanOrEqual(1 + Math.floor(afterFirstSeconds / soonest))
})
