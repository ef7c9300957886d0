/** What one client holds is its own: its identity's, its repository's, its revision's, each scope's. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hubToken, openWorld, refusal, type Seen, tokenAnswer, type World } from '../world.ts'

/** A hub whose tokens tell for whom and for what they were issued. */
function tellingWorld(): World {
  const world = openWorld()
  world.hub = (request) => {
    const exp = Math.floor(world.clock.trueMs() / 1000) + world.lifetimeSeconds
    return tokenAnswer({ accessToken: nameOf(request), exp, casUrl: 'https://cas.example' }, world)
  }
  world.storage = () => new Response()
  return world
}

function nameOf({ authorization, url }: Pick<Seen, 'authorization' | 'url'>): string {
  return Buffer.from(JSON.stringify([authorization, new URL(url).pathname])).toString('base64url')
}

const wanted = fc.record({
  hubToken: fc.constantFrom('lk_ada', 'lk_bob', undefined),
  repo: fc.constantFrom('models/acme/bert', 'models/acme/gpt', 'datasets/acme/bert'),
  revision: fc.constantFrom('main', 'dev', 'refs/pr/1', 'Main'),
  scope: fc.constantFrom('read' as const, 'write' as const),
})

describe('a token', () => {
  // conformance: Guarantees / The client never uses one identity's token for another
  // conformance: Client flow / The client uses another token for another repository or ref
  it('no token crosses identities, repositories, revisions or scopes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(wanted, { minLength: 1, maxLength: 40 }), async (calls) => {
        const world = tellingWorld()
        const clients = new Map<string, ReturnType<World['client']>>()
        await Promise.all(
          calls.map(async ({ scope, ...own }) => {
            const key = JSON.stringify(own)
            const client = clients.get(key) ?? world.client(own)
            clients.set(key, client)
            const { accessToken } = await client.token(scope)
            const authorization = own.hubToken === undefined ? null : `Bearer ${own.hubToken}`
            const revision = encodeURIComponent(own.revision)
            const url = `https://x/api/${own.repo}/storage-${scope}-token/${revision}`
            expect(accessToken.reveal()).toBe(nameOf({ authorization, url }))
          }),
        )
        expect(world.asked).toHaveLength(new Set(calls.map((call) => JSON.stringify(call))).size)
      }),
      { numRuns: 60 },
    )
  })

  it('is shared with no second client, even for the same repository and identity', async () => {
    const world = openWorld()
    const [one, other] = [world.client(), world.client()]
    expect(await one.token('read')).not.toBe(await other.token('read'))
    expect(world.asked).toHaveLength(2)
    one.close()
    await expect(other.token('read')).resolves.toMatchObject({ scope: 'read' })
  })
})

describe('a client whose hub token is replaced', () => {
  // conformance: Client / The client calls a hub token function again after a 401
  it('uses no storage token of the identity that it had before', async () => {
    const world = tellingWorld()
    const answer = world.hub
    let current = 'lk_ada'
    const client = world.client({ hubToken: () => current })
    const asAda = await client.token('read')
    current = 'lk_bob'
    world.hub = (request) =>
      request.authorization === 'Bearer lk_ada' ? refusal(401) : answer(request)
    await client.token('write')
    const asBob = await client.token('read')
    expect(asBob.accessToken.reveal()).not.toBe(asAda.accessToken.reveal())
    await client.fetch('/v1/reconstructions/abc')
    expect(world.stored[0]?.authorization).toBe(`Bearer ${asBob.accessToken.reveal()}`)
  })

  it('uses no storage token that was on its way when the identity changed', async () => {
    const world = tellingWorld()
    const answer = world.hub
    let current = 'lk_ada'
    const client = world.client({ hubToken: () => current })
    await client.token('write')
    world.clock.sleep(900)
    world.hub = async (request) => {
      if (request.url.includes('-read-') && request.authorization === 'Bearer lk_ada') {
        const late = answer(request)
        await world.clock.after(5)
        return late
      }
      return request.authorization === 'Bearer lk_ada' ? refusal(401) : answer(request)
    }
    const reading = client.token('read')
    current = 'lk_bob'
    await client.token('write')
    await world.clock.pass(5)
    const [authorization] = JSON.parse(
      Buffer.from((await reading).accessToken.reveal(), 'base64url').toString(),
    )
    expect(authorization).toBe('Bearer lk_bob')
  })

  it('keeps its storage tokens when the function gives the same hub token again', async () => {
    const world = openWorld()
    const client = world.client({ hubToken: () => hubToken })
    const first = await client.token('read')
    world.hub = () => refusal(401)
    await expect(client.token('write')).rejects.toMatchObject({ status: 401 })
    expect(await client.token('read')).toBe(first)
  })
})
