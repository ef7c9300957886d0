/** One token request serves everybody who waits for it, and a failed one is forgotten. */

import { describe, expect, it } from 'vitest'
import { openWorld, refusal } from '../world.ts'

describe('a token request that fails', () => {
  // conformance: Client / The client does not remember a failed refresh
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

  it('is told to everybody who waited for it, and asked once for all of them', async () => {
    const world = openWorld()
    const client = world.client()
    world.hub = () => refusal(404, { code: 'revision_not_found' })
    const calls = await Promise.allSettled(Array.from({ length: 100 }, () => client.token('read')))
    expect(calls.every(({ status }) => status === 'rejected')).toBe(true)
    expect(world.asked).toHaveLength(1)
  })

  it('is not remembered when it was the network or the answer that failed', async () => {
    const world = openWorld()
    const client = world.client({ retryTimeoutSeconds: 0 })
    const failures = [new TypeError('fetch failed'), new Response('<html>'), refusal(503)]
    for (const failure of failures) {
      world.hub = () => failure
      await expect(client.token('read')).rejects.toThrow()
    }
    world.hub = () => undefined
    await expect(client.token('read')).resolves.toMatchObject({ scope: 'read' })
  })
})

describe('a token request that many wait for', () => {
  // conformance: Client / Concurrent callers share one token request
  it('10 000 callers make one request', async () => {
    const world = openWorld()
    const client = world.client()
    const tokens = await Promise.all(Array.from({ length: 10_000 }, () => client.token('read')))
    expect(world.asked).toHaveLength(1)
    expect(new Set(tokens).size).toBe(1)
  })

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

  it('is one when a token that everybody uses is no longer taken', async () => {
    const world = openWorld()
    const client = world.client()
    const { accessToken } = await client.token('read')
    const former = `Bearer ${accessToken.reveal()}`
    world.storage = ({ authorization }) =>
      authorization === former ? new Response('', { status: 401 }) : undefined
    const calls = Array.from({ length: 200 }, () => client.fetch('/v1/reconstructions/abc'))
    for (const { status } of await Promise.all(calls)) expect(status).toBe(200)
    expect(world.asked).toHaveLength(2)
  })
})
