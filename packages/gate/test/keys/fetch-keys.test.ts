/** The key set is taken from the configured hub alone, and within bounds. */

import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { scriptedHub, serving } from '@latchkey/testing/gate/gateway'
import {
  bearer,
  casUrl,
  issuer,
  jwks,
  movedClock,
  signingKey,
} from '@latchkey/testing/gate/storage-tokens'
import { calculateJwkThumbprint, type JWK } from 'jose'
import { describe, expect, test } from 'vitest'
import { createGate } from '../../src/check/create-gate.ts'
import { fetchKeys } from '../../src/keys/fetch-keys.ts'
import { asking, closing, outcome } from '../check/ask.ts'

const sixtyFourKiB = 64 * 1024

/** A document of exactly so many bytes that would otherwise be fine. */
function documentOf(bytes: number): string {
  const bare = JSON.stringify({ ...jwks, padding: '' })
  return JSON.stringify({ ...jwks, padding: 'x'.repeat(bytes - bare.length) })
}

async function keysFrom(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const hub = await serving(answer)
  return fetchKeys(hub.url)
}

function publishing(...published: readonly unknown[]) {
  return keysFrom((_request, response) => response.end(JSON.stringify({ keys: published })))
}

test('the keys are asked for where hubs publish them, without credentials', async () => {
  let asked: IncomingMessage | undefined
  const keys = await keysFrom((request, response) => {
    asked = request
    response.end(JSON.stringify(jwks))
  })
  expect([...keys.keys()]).toEqual([signingKey.kid])
  expect(asked?.method).toBe('GET')
  expect(asked?.url).toBe('/.well-known/jwks.json')
  expect(asked?.headers).not.toHaveProperty('authorization')
  expect(asked?.headers).not.toHaveProperty('cookie')
})

test('no copy on the way is asked for: a new key may sign already', async () => {
  let asked: IncomingMessage | undefined
  await keysFrom((request, response) => {
    asked = request
    response.end(JSON.stringify(jwks))
  })
  expect(asked?.headers['cache-control']).toBe('no-cache')
})

test('the keys of a hub below a path are asked for below that path', async () => {
  let url: string | undefined
  const hub = await serving((request, response) => {
    url = request.url
    response.end(JSON.stringify(jwks))
  })
  await fetchKeys(`${hub.url}/hub`)
  expect(url).toBe('/hub/.well-known/jwks.json')
})

// conformance: Attacks / 21. An attacker serves other keys, floods unknown keys or blocks the hub
describe('a redirect is not followed', () => {
  test.each([301, 302, 303, 307, 308])('%i', async (status) => {
    let arrived = 0
    const elsewhere = await serving((_request, response) => {
      arrived += 1
      response.end(JSON.stringify(jwks))
    })
    const asked = keysFrom((_request, response) => {
      response.writeHead(status, { Location: `${elsewhere.url}/.well-known/jwks.json` }).end()
    })
    await expect(asked).rejects.toThrow(String(status))
    expect(arrived).toBe(0)
  })

  test('not even to the hub itself', async () => {
    const paths: (string | undefined)[] = []
    const asked = keysFrom((request, response) => {
      paths.push(request.url)
      response.writeHead(307, { Location: '/keys' }).end(JSON.stringify(jwks))
    })
    await expect(asked).rejects.toThrow('307')
    expect(paths).toEqual(['/.well-known/jwks.json'])
  })
})

// conformance: Attacks / 21. An attacker serves other keys, floods unknown keys or blocks the hub
describe('a document over 64 KiB is refused', () => {
  test('when its length is announced', async () => {
    const document = documentOf(sixtyFourKiB + 1)
    const asked = keysFrom((_request, response) => {
      response.writeHead(200, { 'Content-Length': document.length }).end(document)
    })
    await expect(asked).rejects.toThrow('64 KiB')
  })

  test('when its length is not announced, without reading it to its end', async () => {
    let closed = () => {}
    const cut = new Promise<void>((resolve) => {
      closed = resolve
    })
    const asked = keysFrom((_request, response) => {
      response.on('close', closed)
      const pour = () => {
        while (response.write('x'.repeat(4096)));
      }
      response.on('drain', pour)
      pour()
    })
    await expect(asked).rejects.toThrow('64 KiB')
    await cut
  })

  test('and one of exactly 64 KiB is read', async () => {
    const keys = await keysFrom((_request, response) => response.end(documentOf(sixtyFourKiB)))
    expect(keys.size).toBe(1)
  })
})

test('nothing packed is asked for, and what is packed all the same is refused', async () => {
  let asked: IncomingMessage | undefined
  const answered = keysFrom((request, response) => {
    asked = request
    response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(JSON.stringify(jwks)))
  })
  await expect(answered).rejects.toThrow()
  expect(asked?.headers['accept-encoding']).toBe('identity')
})

test('a kept connection that the hub has closed is replaced by a new one', async () => {
  const used = new Set<object>()
  const hub = await serving(({ socket }, response) => {
    if (used.has(socket)) socket.destroy()
    else response.end(JSON.stringify(jwks))
    used.add(socket)
  })
  for (let count = 0; count < 4; count += 1) expect((await fetchKeys(hub.url)).size).toBe(1)
  expect(used.size).toBeGreaterThan(1)
})

// conformance: Attacks / 21. An attacker serves other keys, floods unknown keys or blocks the hub
describe('a hub that does not answer in time is given up', () => {
  test.concurrent.each([
    ['when it says nothing', () => {}],
    [
      'when it stops in the middle',
      (response: ServerResponse) => void response.write(JSON.stringify(jwks).slice(0, 20)),
    ],
    [
      'when it says a little at a time',
      (response: ServerResponse) => {
        const drip = setInterval(() => response.write(' '), 20)
        response.on('close', () => clearInterval(drip))
      },
    ],
  ])('%s', async (_, answer) => {
    // Tests that run side by side cannot share the clean-up of the others.
    const server = createServer((_request, response) => answer(response))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const asked = fetchKeys(`http://127.0.0.1:${port}`, 200)
    await expect(asked).rejects.toThrow(/timeout|aborted/i)
    server.closeAllConnections()
    server.close()
  })
})

describe('an answer without a key of ours is refused', () => {
  test.each([204, 206, 400, 401, 404, 500, 503])('status %i', async (status) => {
    const asked = keysFrom((_request, response) => {
      response.writeHead(status).end(status === 204 ? undefined : JSON.stringify(jwks))
    })
    await expect(asked).rejects.toThrow(String(status))
  })

  test('a document with bytes that are no text', async () => {
    const [before, after] = JSON.stringify({ ...jwks, note: '|' }).split('|')
    const document = Buffer.concat([
      Buffer.from(before ?? ''),
      Buffer.from([0xff]),
      Buffer.from(after ?? ''),
    ])
    await expect(keysFrom((_request, response) => response.end(document))).rejects.toThrow()
  })

  test('a key on another curve', async () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' })
    const jwk = publicKey.export({ format: 'jwk' }) as JWK
    const kid = await calculateJwkThumbprint(jwk)
    await expect(publishing({ ...jwk, alg: 'ES256', kid })).rejects.toThrow('no key')
    await expect(publishing({ ...jwk, alg: 'ES384', kid })).rejects.toThrow('no key')
  })

  test('a key that claims our curve with a point that is not on it', async () => {
    const jwk = { ...signingKey.publicJwk, y: signingKey.publicJwk.x ?? '' }
    const kid = await calculateJwkThumbprint(jwk)
    await expect(publishing({ ...jwk, kid })).rejects.toThrow('no key')
  })

  test.each(['A'.repeat(43), 'main', '', undefined, ['x'], '__proto__'])(
    'a key whose kid is not its thumbprint: %j',
    async (kid) => {
      await expect(publishing({ ...signingKey.publicJwk, kid })).rejects.toThrow('no key')
    },
  )

  test('a shared secret', async () => {
    const jwk = { kty: 'oct', k: 'c2VjcmV0' }
    const kid = await calculateJwkThumbprint(jwk)
    await expect(publishing({ ...jwk, alg: 'HS256', kid })).rejects.toThrow('no key')
    await expect(publishing({ ...jwk, alg: 'ES256', crv: 'P-256', kid })).rejects.toThrow('no key')
  })

  test('a key whose private part is published with it: anybody could sign', async () => {
    const { d } = signingKey.privateKey.export({ format: 'jwk' })
    await expect(publishing({ ...signingKey.publicJwk, d })).rejects.toThrow('no key')
  })
})

describe('plain http', () => {
  const options = { issuer, casUrl, clock: movedClock().now }

  test.each(['http://hub.example', 'http://10.0.0.7:8080', 'http://127.0.0.1.hub.example'])(
    'to another machine does not start: %s',
    (hubUrl) => {
      expect(() => createGate({ hubUrl, ...options })).toThrow(/^hubUrl: .*allowPlainHttp$/)
    },
  )

  test.each(['http://127.0.0.1:1', 'http://localhost:1', 'http://[::1]:1', 'https://hub.example'])(
    'to this machine starts, and so does https: %s',
    (hubUrl) => {
      expect(closing(createGate({ hubUrl, ...options })).isReady()).toBe(false)
    },
  )

  test('to another machine starts where the operator allows it', () => {
    const gate = closing(
      createGate({ hubUrl: 'http://hub.example', allowPlainHttp: true, ...options }),
    )
    expect(gate.isReady()).toBe(false)
  })
})

test('the hub is known by its own URL unless it is said to call itself otherwise', async () => {
  const { now: clock } = movedClock()
  const hub = await scriptedHub(clock)
  hub.revocations.useIssuer(hub.url)
  const gate = closing(createGate({ hubUrl: hub.url, casUrl, clock }))
  expect(await outcome(gate, asking(bearer({ iss: hub.url })))).toBe('admitted')
  expect(await outcome(gate, asking(bearer()))).toBe('storage_token_invalid')
})
