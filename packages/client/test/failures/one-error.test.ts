/** Every failure is one class, with what a person needs and nothing that a log must not hold. */

import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { LatchkeyError, type StorageClient } from '../../src/index.ts'
import { hubToken, openWorld, refusal, tokenAnswer, type World } from '../world.ts'

const accessToken = 'access.token.that.nobody.sees'

interface Provocation {
  readonly world?: (world: World) => void
  readonly call?: (client: StorageClient) => Promise<unknown>
}

const read = (client: StorageClient) => client.fetch('/v1/reconstructions/abc?q=query')

/** The platform's own errors can hold header values. */
const networkError = () =>
  Object.assign(new TypeError(`Bearer ${hubToken} Bearer ${accessToken}`), {
    cause: Object.assign(new Error(`Bearer ${hubToken} ${accessToken}`), { code: 'ECONNRESET' }),
  })

const repeating = (status: number) =>
  refusal(
    status,
    { code: hubToken, detail: `No: ${hubToken}!`, error: hubToken, requestId: hubToken },
    { 'x-error-message': hubToken, 'x-request-id': `r-${hubToken}`, 'x-error-code': hubToken },
  )

const provocations: Record<string, Provocation> = {
  'a hub that repeats the hub token': { world: (world) => (world.hub = () => repeating(403)) },
  'a hub that repeats the hub token with a 503': {
    world: (world) => (world.hub = () => repeating(503)),
  },
  'a hub that repeats the hub token in a page': {
    world: (world) => (world.hub = () => new Response(`<p>${hubToken}`, { status: 500 })),
  },
  'a hub whose code is the hub token': {
    world: (world) => (world.hub = () => refusal(403, { code: hubToken })),
  },
  'a network error of the hub': { world: (world) => (world.hub = networkError) },
  'a network error of the storage': { world: (world) => (world.storage = networkError) },
  'a network error whose code is a sentence': {
    world: (world) =>
      (world.hub = () => Object.assign(new TypeError(), { code: `refused ${hubToken}` })),
  },
  'a network error of a storage whose address repeats the hub token': {
    world: (world) => {
      const casUrl = `https://cas.example/${hubToken}`
      world.hub = () => tokenAnswer({ accessToken, exp: 9e9, casUrl }, world)
      world.storage = networkError
    },
  },
  'an answer that is no token': {
    world: (world) =>
      (world.hub = () => tokenAnswer({ accessToken, exp: 1, casUrl: hubToken }, world)),
  },
  'a casUrl that may not be used': {
    world: (world) =>
      (world.hub = () =>
        tokenAnswer({ accessToken, exp: 9e9, casUrl: `http://x.example/${hubToken}` }, world)),
  },
  'a redirect of the hub': {
    world: (world) =>
      (world.hub = () => refusal(302, {}, { location: `https://evil.example/${hubToken}` })),
  },
  'a path that is refused': { call: (client) => client.fetch(`//evil.example/${accessToken}`) },
  'a header that cannot be sent': {
    call: (client) => client.fetch('/a', { headers: { 'x-a': `a\n${accessToken}` } }),
  },
  'a method that is none': { call: (client) => client.fetch('/a', { method: `${accessToken} a` }) },
  'a body that cannot be repeated': {
    world: (world) => (world.storage = () => refusal(401)),
    call: (client) =>
      client.fetch('/v1/shards', { method: 'POST', body: new Blob([accessToken]).stream() }),
  },
  'a client that is closed': {
    call: (client) => {
      client.close()
      return read(client)
    },
  },
}

async function provoke({ world: change, call = read }: Provocation): Promise<unknown> {
  const world = openWorld()
  const answer = () => tokenAnswer({ accessToken, exp: 9e9, casUrl: 'https://cas.example' }, world)
  world.hub = answer
  change?.(world)
  return call(world.client({ retryTimeoutSeconds: 0 })).catch((error) => error)
}

/** All that a logger could find in an error. */
function allOf(error: unknown): string {
  const { stack, message, cause } = error as Error
  return [
    inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true }),
    JSON.stringify(error),
    String(error),
    ...[stack, message, String(cause)],
    ...Object.values(Object.getOwnPropertyDescriptors(error)).map(({ value }) => String(value)),
  ].join('\n')
}

describe.each(Object.entries(provocations))('after %s', (_, provocation) => {
  // conformance: Client / LatchkeyError holds no request, response or token
  it('the error is a LatchkeyError of plain words and numbers', async () => {
    const error = await provoke(provocation)
    expect(error).toBeInstanceOf(LatchkeyError)
    expect(error).toBeInstanceOf(Error)
    for (const value of Object.values(error as object)) {
      expect(['string', 'number', 'undefined']).toContain(typeof value)
    }
  })

  // conformance: Client flow / The client logs no token
  it('no token is in it, however it is printed', async () => {
    const text = allOf(await provoke(provocation))
    expect(text).not.toContain(hubToken)
    expect(text).not.toContain(accessToken)
    expect(text).not.toContain('q=query')
  })
})

describe('an error of the hub', () => {
  it('has its code, its words, and where it came from', async () => {
    const world = openWorld()
    const detail = 'Your hub token may not write to models/acme/bert.'
    const headers = { 'x-request-id': '01JABC', 'retry-after': '7' }
    world.hub = () => refusal(403, { code: 'permission_denied', detail }, headers)
    const error = await world
      .client()
      .token('write')
      .catch((error) => error)
    expect({ ...error }).toEqual({
      name: 'LatchkeyError',
      code: 'permission_denied',
      status: 403,
      requestId: '01JABC',
      method: 'GET',
      path: '/api/models/acme/bert/storage-write-token/main',
      retryAfterSeconds: 7,
    })
    expect(String(error)).toBe(`LatchkeyError: ${detail}`)
  })
})
