/** Neither token follows a redirect or a path to another origin: real servers, and the platform's own fetch. */

import type { RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import { hubToken, openWorld, refusal } from '../world.ts'
import { accessToken, openRealWorld, type RealWorld } from './loopback.ts'

const redirects = [301, 302, 303, 307, 308]

const redirecting =
  (status: number, location: string): RequestListener =>
  (request, response) => {
    request.resume()
    response.writeHead(status, { location }).end()
  }

/** Hub and storage each heard their own token only, and the stranger nothing at all. */
function expectTokensAtHome({ heard }: RealWorld): void {
  expect(heard.stranger).toEqual([])
  expect(new Set(heard.hub)).toEqual(new Set([`Bearer ${hubToken}`]))
  for (const authorization of heard.storage) expect(authorization).toBe(`Bearer ${accessToken}`)
}

describe('both tokens', () => {
  // conformance: Guarantees / Tokens go only to their own origin
  // conformance: Attacks / 28. An attacker makes a client send a token to another origin
  it('neither token leaves its origin, by redirect or by path', async () => {
    const world = await openRealWorld()
    const host = new URL(world.strangerUrl).host
    const client = world.client()
    for (const status of redirects) {
      world.storage = redirecting(status, `${world.strangerUrl}/stolen`)
      await client.fetch('/v1/reconstructions/abc').catch(() => {})
      await client.fetch('/v1/shards', { method: 'POST', body: 'abc' }).catch(() => {})
    }
    const paths = [`//${host}/a`, `/\\${host}/a`, `\\\\${host}`, `@${host}/`, `:80@${host}/a`]
    const more = [`${world.strangerUrl}/a`, `.${host}`, `/../../${host}`, `/..//${host}/a`, '']
    for (const path of [...paths, ...more, `/\t/${host}`, `\n//${host}`, `/%2f/${host}`]) {
      await expect(client.fetch(path)).rejects.toMatchObject({ code: 'path_refused' })
    }
    for (const status of redirects) {
      world.hub = redirecting(status, `${world.strangerUrl}/stolen`)
      await expect(world.client().token('read')).rejects.toMatchObject({ code: 'redirected' })
    }
    expect(world.heard.storage).toHaveLength(2 * redirects.length)
    expectTokensAtHome(world)
  })
})

describe('a redirect of the hub', () => {
  it.each(redirects)(
    'is an error that says what to do, and is not tried again: %i',
    async (status) => {
      const world = openWorld()
      world.hub = () => refusal(status, {}, { location: 'https://evil.example/' })
      await expect(world.client().token('read')).rejects.toMatchObject({
        code: 'redirected',
        message: expect.stringContaining(
          "https://hub.example redirects: give the hub's own address",
        ),
      })
      expect(world.seen.map(({ redirect }) => redirect)).toEqual(['manual'])
    },
  )

  it('to itself is not followed either', async () => {
    const world = await openRealWorld()
    world.hub = redirecting(307, `${world.hubUrl}/api/models/acme/bert/storage-read-token/dev`)
    await expect(world.client().token('read')).rejects.toMatchObject({ code: 'redirected' })
    expect(world.heard.hub).toHaveLength(1)
  })

  it('of which a browser shows nothing is the same error', async () => {
    const world = openWorld()
    world.hub = () => opaqueRedirect()
    await expect(world.client().token('read')).rejects.toMatchObject({ code: 'redirected' })
    expect(world.asked).toHaveLength(1)
  })
})

describe('a redirect of the storage', () => {
  it.each(redirects)(
    'is handed back, with a read token and with a write token: %i',
    async (status) => {
      const world = await openRealWorld()
      world.storage = redirecting(status, `${world.strangerUrl}/elsewhere`)
      const client = world.client()
      const read = await client.fetch('/v1/reconstructions/abc')
      const written = await client.fetch('/v1/shards', { method: 'POST', body: 'abc' })
      expect([read.status, written.status]).toEqual([status, status])
      expect(read.headers.get('location')).toBe(`${world.strangerUrl}/elsewhere`)
      expectTokensAtHome(world)
    },
  )

  it('is not followed where the caller asks for it: the request is refused', async () => {
    const world = await openRealWorld()
    world.storage = redirecting(302, `${world.strangerUrl}/elsewhere`)
    const init = { redirect: 'follow' } as object
    const asked = world.client().fetch('/v1/reconstructions/abc', init)
    await expect(asked).rejects.toThrow('redirect is no option of a storage request.')
    expect(world.heard).toMatchObject({ hub: [], storage: [], stranger: [] })
  })

  it('of which a browser shows nothing is an error, and is not tried again', async () => {
    const world = openWorld()
    world.storage = () => opaqueRedirect()
    const call = world.client().fetch('/v1/reconstructions/abc')
    await expect(call).rejects.toMatchObject({
      code: 'redirected',
      path: '/v1/reconstructions/abc',
    })
    expect(world.stored).toHaveLength(1)
  })
})

/** As browsers give it; a Response cannot be made like this by hand. */
function opaqueRedirect(): Response {
  const response = new Response(null)
  Object.defineProperties(response, { type: { value: 'opaqueredirect' }, status: { value: 0 } })
  return response
}
