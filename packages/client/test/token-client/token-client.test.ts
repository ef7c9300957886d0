import { expect, it } from 'vitest'
import { createTokenClient, type TokenClientOptions } from '../../src/token-client.ts'
import { casUrl, hubToken, hubUrl, openWorld } from '../world.ts'

function tokenClient(change: Partial<TokenClientOptions<Response>> = {}) {
  const world = openWorld()
  const client = createTokenClient({
    ...{ hubUrl, hubToken, repo: 'models/acme/bert', clock: world.clock, fetch: world.fetch },
    ...change,
  })
  return { world, client }
}

it('sends with a token, over the fetch that it was given', async () => {
  const { world, client } = tokenClient()
  const answer = await client.send('/v1/xorbs/x', { method: 'POST', body: 'data' })
  expect(answer.status).toBe(200)
  expect(world.stored).toMatchObject([
    { url: `${casUrl}/v1/xorbs/x`, method: 'POST', body: 'data', redirect: 'manual' },
  ])
  expect(world.refused).toEqual([])
})

it.each(['authorization', 'Authorization'])(
  'no %s of the caller stands beside the token',
  async (name) => {
    const { world, client } = tokenClient()
    await client.send('/v1/x', { headers: { [name]: 'Bearer mine', 'X-More': 'a' } })
    expect(world.stored[0]?.authorization).toBe('Bearer access.token.1')
    expect(world.stored[0]?.headers.get('x-more')).toBe('a')
  },
)

it.each([{ 'a b': 'c' }, { a: 'b\r\nc: d' }, { '': 'x' }, { a: 'ü' }])(
  'the headers %j are refused before anything is sent',
  async (headers) => {
    const { world, client } = tokenClient()
    await expect(client.send('/v1/x', { headers })).rejects.toMatchObject({ code: 'bad_option' })
    expect(world.seen).toEqual([])
  },
)

it('calls fetch by itself, as browsers want it', async () => {
  const { world } = tokenClient()
  async function picky(this: unknown, ...args: Parameters<typeof world.fetch>) {
    expect(this).toBeUndefined()
    return world.fetch(...args)
  }
  expect((await tokenClient({ fetch: picky }).client.send('/v1/x')).status).toBe(200)
})

it('says at once that fetch is missing', () => {
  const fetch = undefined as unknown as TokenClientOptions<Response>['fetch']
  expect(() => tokenClient({ fetch })).toThrow('fetch is not allowed: give a function.')
})
