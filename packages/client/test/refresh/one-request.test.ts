import { describe, expect, it } from 'vitest'
import { openWorld, refusal } from '../world.ts'

describe('a token that is held', () => {
  it('10 000 callers make one request', async () => {
    const world = openWorld()
    const client = world.client()
    const tokens = await Promise.all(Array.from({ length: 10_000 }, () => client.token('read')))
    expect(world.asked).toHaveLength(1)
    expect(new Set(tokens).size).toBe(1)
  })
  it('a failed refresh is not remembered', async () => {
    const world = openWorld()
    const client = world.client()
    world.hub = () => refusal(403, { code: 'permission_denied', detail: 'no' })
    await expect(client.token('read')).rejects.toMatchObject({
      code: 'permission_denied',
      message: 'no',
    })
    world.hub = () => undefined
    await expect(client.token('read')).resolves.toMatchObject({ scope: 'read' })
  })
})
