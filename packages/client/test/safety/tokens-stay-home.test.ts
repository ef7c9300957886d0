/** Each token goes to its own side only, and prints as its kind everywhere. */

import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { Secret, type StorageClient } from '../../src/index.ts'
import { hubToken, openWorld, refusal, type World } from '../world.ts'

/** Reads, writes, refreshes, failures and repetitions. */
async function liveThrough(world: World, client: StorageClient): Promise<void> {
  for (let round = 0; round < 5; round += 1) {
    await client.fetch('/v1/reconstructions/abc', { headers: { authorization: 'Basic x' } })
    await client.fetch('/v1/shards', { method: 'POST', body: 'abc' })
    world.storage = () => new Response('', { status: 401 })
    await client.fetch('/v1/reconstructions/abc')
    world.storage = () => undefined
    world.hub = () => (world.asked.length % 3 === 0 ? undefined : refusal(503))
    await world.clock.pass(880)
    world.hub = () => undefined
    await world.clock.pass(60)
  }
}

describe('the hub token', () => {
  // conformance: Attacks / 28. An attacker makes a client send a token to another origin
  it('goes to the hub and nowhere else, in one header', async () => {
    const world = openWorld()
    await liveThrough(world, world.client())
    expect(world.asked.length).toBeGreaterThan(10)
    for (const { url, headers, authorization } of world.asked) {
      expect(new URL(url).origin).toBe('https://hub.example')
      expect(authorization).toBe(`Bearer ${hubToken}`)
      expect([...headers].filter(([, value]) => value.includes(hubToken))).toHaveLength(1)
      expect(url).not.toContain(hubToken)
    }
    for (const request of world.stored) expect(allOf(request)).not.toContain(hubToken)
  })
})

describe('the access token', () => {
  it('goes to the storage and nowhere else, in one header', async () => {
    const world = openWorld()
    await liveThrough(world, world.client())
    expect(world.stored.length).toBeGreaterThan(10)
    for (const { url, headers, authorization } of world.stored) {
      expect(new URL(url).origin).toBe('https://cas.example')
      expect(authorization).toMatch(/^Bearer access\.token\.\d+$/)
      expect([...headers].filter(([, value]) => value.includes('access.token'))).toHaveLength(1)
      expect(url).not.toContain('access.token')
    }
    for (const request of world.asked) expect(allOf(request)).not.toContain('access.token')
  })

  it('is the client’s own header: what a caller gives is replaced', async () => {
    const world = openWorld()
    const headers = [
      ['Authorization', 'Bearer mine'],
      ['x-a', 'b'],
    ] as [string, string][]
    await world.client().fetch('/v1/reconstructions/abc', { headers })
    expect(world.stored[0]?.authorization).toBe('Bearer access.token.1')
    expect(world.stored[0]?.headers.get('x-a')).toBe('b')
  })
})

describe('both tokens print as their kind', () => {
  it.each<[string, (value: unknown) => string]>([
    ['String', String],
    ['JSON', JSON.stringify],
    ['inspect', (value) => inspect(value, { depth: null, showHidden: true, getters: true })],
    ['a template', (value) => `${value}`],
    ['a list', (value) => String([value])],
    ['an error message', (value) => new Error(String(value)).message],
  ])('by %s', async (_, print) => {
    const world = openWorld()
    const client = world.client({ hubToken: new Secret('hub-token', hubToken) })
    const token = await client.token('read')
    const { accessToken } = token
    expect(print(accessToken)).toContain('[access-token]')
    for (const value of [accessToken, token, client, { token }, client.token('read')]) {
      expect(print(value)).not.toMatch(/access\.token|lk_/)
    }
  })

  // conformance: Client flow / The client logs no token
  it('and nothing of them is an own property', async () => {
    const { accessToken } = await openWorld().client().token('read')
    expect({ ...accessToken }).toEqual({ kind: 'access-token' })
    expect(structuredClone({ ...accessToken })).toEqual({ kind: 'access-token' })
    expect(accessToken.reveal()).toBe('access.token.1')
  })
})

function allOf({ url, headers, body }: { url: string; headers: Headers; body: string }): string {
  return [url, body, ...[...headers].flat()].join('\n')
}
