/** A client that is closed ends what is under way, wherever it is. */

import { describe, expect, it } from 'vitest'
import type { StorageClient } from '../../src/index.ts'
import { isDone, settle } from '../moved-clock.ts'
import { openWorld, refusal, type World } from '../world.ts'

const closed = { code: 'closed', message: 'The client is closed.' }
const never = () => new Promise<never>(() => {})

const underWay: [string, (world: World) => void, (client: StorageClient) => Promise<unknown>][] = [
  [
    'a token request',
    (world) => {
      world.hub = never
    },
    (client) => client.token('read'),
  ],
  [
    'the wait before another token request',
    (world) => {
      world.hub = () => refusal(503)
    },
    (client) => client.token('read'),
  ],
  [
    'the token request of a storage request',
    (world) => {
      world.hub = never
    },
    (client) => client.fetch('/v1/a'),
  ],
  [
    'a storage request',
    (world) => {
      world.storage = never
    },
    (client) => client.fetch('/v1/a'),
  ],
  [
    'a storage request that has a signal of its own',
    (world) => {
      world.storage = never
    },
    (client) => client.fetch('/v1/a', { signal: new AbortController().signal }),
  ],
  [
    'the wait before another storage request',
    (world) => {
      world.storage = () => refusal(503)
    },
    (client) => client.fetch('/v1/a'),
  ],
  [
    'a body that is being made',
    () => {},
    (client) => client.fetch('/v1/a', { method: 'POST', body: never }),
  ],
]

describe('a client that is closed', () => {
  it.each(underWay)('ends %s at once', async (_, arrange, call) => {
    const world = openWorld()
    arrange(world)
    const client = world.client()
    const calling = call(client)
    calling.catch(() => {})
    expect(await isDone(calling)).toBe(false)
    client.close()
    expect(await isDone(calling)).toBe(true)
    await expect(calling).rejects.toMatchObject(closed)
    expect(world.clock.waiting()).toEqual([])
  })

  it('says that it is closed, not that the hub was away', async () => {
    const world = openWorld()
    world.hub = never
    const client = world.client({ retryTimeoutSeconds: 0 })
    const call = client.token('read')
    call.catch(() => {})
    await settle()
    client.close()
    await expect(call).rejects.toMatchObject(closed)
  })

  it('ends the wait for a hub token that does not come', async () => {
    const world = openWorld()
    const client = world.client({ hubToken: never })
    const calls = [client.token('read'), client.fetch('/v1/a')]
    for (const call of calls) call.catch(() => {})
    client.close()
    for (const call of calls) await expect(call).rejects.toMatchObject(closed)
    expect(world.seen).toEqual([])
  })
})
