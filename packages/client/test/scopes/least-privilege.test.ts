/** The least token that will do: for reading a read token, for writing a write token, each when it is first needed. */

import { readFileSync } from 'node:fs'
import { parseNormalPath, scopeRules } from '@latchkey/protocol'
import { describe, expect, it } from 'vitest'
import { openWorld, refusal, type World } from '../world.ts'

const scopesAsked = (world: World) => world.asked.map(({ url }) => url.match(/read|write/)?.[0])

const reads: [string, string][] = [
  ['GET', '/v1/reconstructions/abc'],
  ['HEAD', '/v1/xorbs/default/abc'],
  ['GET', '/v1/shards'],
  ['OPTIONS', '/v1/shards'],
  ['POST', '/v1/telemetry'],
  ['get', '/v1/shards'],
]
const writes: [string, string][] = [
  ['POST', '/shard'],
  ['POST', '/v1/shards'],
  ['POST', '/v1/xorbs/default/abc'],
  ['post', '/v1/XORBS/default/abc'],
  ['PUT', '/v1/anything'],
  ['DELETE', '/v1/anything'],
  ['PATCH', '/v1/anything'],
]

describe('a request', () => {
  it.each(reads)('that reads never asks for a write token: %s %s', async (method, path) => {
    const world = openWorld()
    expect((await world.client().fetch(path, { method })).status).toBe(200)
    expect(scopesAsked(world)).toEqual(['read'])
    expect(world.stored[0]?.method).toBe(method.toUpperCase())
  })

  it.each(writes)(
    'that writes asks for a write token, and for no other: %s %s',
    async (method, path) => {
      const world = openWorld()
      expect((await world.client().fetch(path, { method, body: 'abc' })).status).toBe(200)
      expect(scopesAsked(world)).toEqual(['write'])
    },
  )

  // conformance: Client flow / The client requests write tokens only when it needs them
  it('is judged as the table of the protocol judges it', async () => {
    const file = new URL('../../../../vectors/scope-rules.json', import.meta.url)
    const { paths } = JSON.parse(readFileSync(file, 'utf8')) as { paths: { path: string }[] }
    const wanted = scopeRules()
    const world = openWorld()
    const client = world.client()
    const { accessToken } = await client.token('write')
    for (const { path } of paths) {
      const normal = parseNormalPath(path)
      for (const method of normal === undefined ? [] : ['GET', 'POST', 'PUT']) {
        await client.fetch(path, { method })
        const isWrite = world.stored.at(-1)?.authorization === `Bearer ${accessToken.reveal()}`
        expect([method, path, isWrite]).toEqual([
          method,
          path,
          wanted(method, normal as never) === 'write',
        ])
      }
    }
    expect(world.stored.length).toBeGreaterThan(30)
  })

  it('is judged by its path alone, not by its query', async () => {
    const world = openWorld()
    await world.client().fetch('/v1/telemetry?path=/v1/shards', { method: 'POST' })
    expect(scopesAsked(world)).toEqual(['read'])
  })
})

describe('a write token', () => {
  // conformance: Client flow / The client requests write tokens only when it needs them
  it('is asked for when the first write is made, not before', async () => {
    const world = openWorld()
    const client = world.client()
    for (let call = 0; call < 5; call += 1) await client.fetch('/v1/reconstructions/abc')
    await world.clock.pass(5000)
    expect(scopesAsked(world)).not.toContain('write')
    await client.fetch('/v1/shards', { method: 'POST', body: 'abc' })
    expect(scopesAsked(world).at(-1)).toBe('write')
  })

  it('that is refused leaves reading possible', async () => {
    const world = openWorld()
    world.hub = ({ url }) => (url.includes('-write-') ? refusal(403) : undefined)
    const client = world.client()
    const writing = client.fetch('/v1/shards', { method: 'POST', body: 'abc' })
    await expect(writing).rejects.toMatchObject({ code: 'permission_denied' })
    expect((await client.fetch('/v1/shards')).status).toBe(200)
  })

  it('is not asked for by a read that the storage refuses', async () => {
    const world = openWorld()
    world.storage = () => refusal(403, { code: 'insufficient_scope' })
    expect((await world.client().fetch('/v1/reconstructions/abc')).status).toBe(403)
    expect(scopesAsked(world)).toEqual(['read'])
  })
})

describe('a scope that the caller names', () => {
  it.each(['read', 'write'] as const)('decides, whatever the table says: %s', async (scope) => {
    const world = openWorld()
    const client = world.client()
    await client.fetch('/v1/shards', { method: 'POST', body: 'abc', scope })
    await client.fetch('/v1/shards', { scope })
    expect(scopesAsked(world)).toEqual([scope])
  })
})
