/** The hub token: a string, a Secret, or a function that is asked again after a 401. */

import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createStorageClient, Secret } from '../../src/index.ts'
import { hubToken, hubUrl, openWorld, refusal, type World } from '../world.ts'

const bearers = (world: World) => world.asked.map(({ authorization }) => authorization)

/** A hub that takes one hub token and no other. */
const takesOnly = (token: string) => (request: { authorization: string | null }) =>
  request.authorization === `Bearer ${token}` ? undefined : refusal(401)

/** Gives another token every time: lk_1, lk_2 … */
function numbered() {
  let asked = 0
  const hubToken = async () => {
    asked += 1
    return `lk_${asked}`
  }
  return { hubToken, asked: () => asked }
}

describe('a hub token that cannot be one', () => {
  const wrong: [string, unknown][] = [
    ['an empty text', ''],
    ['a line end', 'lk_abc\n'],
    ['a space', 'lk_abc def'],
    ['the scheme before it', 'Bearer lk_abc'],
    ['letters outside ASCII', 'lk_äbc'],
    ['null', null],
    ['a number', 7],
    ['an object', { reveal: () => 'lk_abc' }],
    ['the access token', new Secret('access-token', 'abc')],
    ['an empty Secret', new Secret('hub-token', '')],
  ]

  it.each(wrong)('is refused before anything is sent, and not repeated: %s', (_, given) => {
    const make = () =>
      createStorageClient({ hubUrl, repo: 'models/a/b', hubToken: given as string })
    expect(make).toThrow(expect.objectContaining({ code: 'bad_option' }))
    expect(make).not.toThrow(/abc/)
  })

  it.each(wrong)('is refused when a function gives it: %s', async (_, given) => {
    const world = openWorld()
    const client = world.client({ hubToken: async () => given as string })
    const error = await client.token('read').catch((error) => error)
    expect(error).toMatchObject({ code: 'bad_option' })
    expect(inspect(error)).not.toMatch(/abc/)
    expect(world.seen).toEqual([])
  })
})

describe('a hub token', () => {
  it.each([
    ['a string', hubToken],
    ['a Secret', new Secret('hub-token', hubToken)],
    ['a function', () => hubToken],
    ['a function that gives a Secret', () => new Secret('hub-token', hubToken)],
    ['an async function', async () => hubToken],
    ['an async function that gives a Secret', async () => new Secret('hub-token', hubToken)],
  ])('may be %s', async (_, given) => {
    const world = openWorld()
    await world.client({ hubToken: given }).token('read')
    expect(bearers(world)).toEqual([`Bearer ${hubToken}`])
  })

  it('that the hub did not take is sent again by the next call, not left out', async () => {
    const world = openWorld()
    const client = world.client()
    world.hub = () => refusal(401)
    for (let call = 0; call < 2; call += 1) {
      await expect(client.token('read')).rejects.toMatchObject({ code: 'hub_token_invalid' })
    }
    expect(bearers(world)).toEqual([`Bearer ${hubToken}`, `Bearer ${hubToken}`])
  })

  it('left out is not sent: nobody asks', async () => {
    const world = openWorld()
    await world.client({ hubToken: undefined }).token('read')
    expect(bearers(world)).toEqual([null])
  })
})

describe('a function that gives the hub token', () => {
  it('is not asked before there is something to do, and once for all who wait', async () => {
    const world = openWorld()
    const { hubToken, asked } = numbered()
    const client = world.client({ hubToken })
    expect(asked()).toBe(0)
    await Promise.all([client.token('read'), client.token('write'), client.token('read')])
    await world.clock.pass(5000)
    expect(asked()).toBe(1)
  })

  // conformance: Client / The client calls a hub token function again after a 401
  it('is asked again after a 401, and what it gives is tried at once', async () => {
    const world = openWorld()
    let current = 'lk_old'
    const client = world.client({ hubToken: async () => current })
    await client.token('read')
    current = 'lk_new'
    world.hub = takesOnly('lk_new')
    await expect(client.token('write')).resolves.toMatchObject({ scope: 'write' })
    expect(bearers(world)).toEqual(['Bearer lk_old', 'Bearer lk_old', 'Bearer lk_new'])
  })

  it('is asked once when both scopes are refused at once', async () => {
    const world = openWorld()
    const { hubToken, asked } = numbered()
    const client = world.client({ hubToken })
    await Promise.all([client.token('read'), client.token('write')])
    world.hub = takesOnly('lk_2')
    world.clock.sleep(900)
    await Promise.all([client.token('read'), client.token('write')])
    expect(asked()).toBe(2)
  })

  it('is not asked again because of a 401 to what it gave before', async () => {
    const world = openWorld()
    const { hubToken, asked } = numbered()
    const client = world.client({ hubToken })
    await Promise.all([client.token('read'), client.token('write')])
    world.clock.sleep(900)
    world.hub = async (request) => {
      const isLate = request.url.includes('-read-') && request.authorization === 'Bearer lk_1'
      if (isLate) await world.clock.after(2)
      return takesOnly('lk_2')(request)
    }
    const calls = [client.token('read'), client.token('write')]
    await world.clock.pass(2)
    await Promise.all(calls)
    expect(asked()).toBe(2)
  })

  it('is asked no further when the hub does not take what it has just given', async () => {
    const world = openWorld()
    const { hubToken, asked } = numbered()
    const client = world.client({ hubToken })
    world.hub = () => refusal(401, { code: 'hub_token_invalid' })
    await expect(client.token('read')).rejects.toMatchObject({ code: 'hub_token_invalid' })
    expect(asked()).toBe(1)
    expect(world.asked).toHaveLength(1)
  })

  it('is asked again by the next call after a 401', async () => {
    const world = openWorld()
    const { hubToken } = numbered()
    const client = world.client({ hubToken })
    world.hub = takesOnly('lk_2')
    await expect(client.token('read')).rejects.toMatchObject({ status: 401 })
    await expect(client.token('read')).resolves.toMatchObject({ scope: 'read' })
  })

  it('that fails is not remembered', async () => {
    const world = openWorld()
    const gone = new Error('the key ring is locked')
    let isLocked = true
    const client = world.client({
      hubToken: () => {
        if (isLocked) throw gone
        return hubToken
      },
    })
    await expect(client.token('read')).rejects.toBe(gone)
    isLocked = false
    await expect(client.token('read')).resolves.toMatchObject({ scope: 'read' })
  })
})
