/** One token request serves everybody who waits for it, in whichever way. */

import { describe, expect, it } from 'vitest'
import { openWorld } from '../world.ts'

describe('a token request that many wait for', () => {
  it('serves those who come while it is under way, and those who come later', async () => {
    const world = openWorld()
    const client = world.client()
    world.hub = () => world.clock.after(3)
    const first = client.token('read')
    await world.clock.pass(2)
    const second = client.token('read')
    await world.clock.pass(1)
    expect(await second).toBe(await first)
    expect(await client.token('read')).toBe(await first)
    expect(world.asked).toHaveLength(1)
  })

  it('serves storage requests and callers of token() alike', async () => {
    const world = openWorld()
    const client = world.client()
    const calls = Array.from({ length: 50 }, (_, index) =>
      index % 2 === 0 ? client.fetch('/v1/reconstructions/abc') : client.token('read'),
    )
    await Promise.all(calls)
    expect(world.asked).toHaveLength(1)
    expect(world.stored).toHaveLength(25)
  })
})
