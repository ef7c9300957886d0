/** What a read token is admitted with never arrives at a write route, however the storage behind the gate reads paths. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { rounds } from '@latchkey/testing/chance'
import {
  bearer,
  casUrl,
  issuer,
  jwks,
  movedClock,
  prefix,
} from '@latchkey/testing/gate/storage-tokens'
import { type RawClient, rawClient } from '@latchkey/testing/vectors/raw-client'
import express from 'express'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGate, type Gate, readKeySet } from '../../src/index.ts'

const writing = ['POST', 'PUT', 'PATCH', 'DELETE'] as const
const authorization = ['Authorization', bearer({ scope: 'read' })]

const words = [
  ...['shard', 'shards', 'xorb', 'xorbs', 'xorb-grants', 'shardlike'],
  ...['v1', 'api', 'telemetry', 'default', 'abc', 'chunks'],
]

/** One letter as others write it: in the other case, encoded once or twice, as a look-alike. */
const spellings: Readonly<Record<string, readonly string[]>> = {
  s: ['S', '%73', '%53', '%2573', '%C5%BF', '%EF%BD%93', 'ſ'],
  h: ['H', '%68', '%EF%BD%88', '%D2%BB'],
  x: ['X', '%78', '%E2%93%A7', '%D1%85'],
  o: ['O', '0', '%6f', '%CE%BF'],
}

const letterwise = (word: string) =>
  fc
    .array(fc.nat({ max: 40 }), { minLength: word.length, maxLength: word.length })
    .map((choices) =>
      [...word].map((letter, at) => spellings[letter]?.[choices[at] ?? 40] ?? letter).join(''),
    )

const added = fc.oneof(
  { weight: 8, arbitrary: fc.constant('') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(';x', ';', '.', '%20', '%2f', '%00', '%09', '..', '%3b'),
  },
  { weight: 1, arbitrary: fc.constantFrom('?x', '#x', '%3f', '%23', '%C2%A0', '%E2%80%8B', '\\') },
)
const separator = fc.oneof(
  { weight: 12, arbitrary: fc.constant('/') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('//', '/./', '/../', '%2f', '\\', '/;/', '/%2e%2e/', '/x/../'),
  },
)
const recase = (text: string) =>
  fc.constantFrom(text, text, text.toUpperCase(), text.charAt(0).toUpperCase() + text.slice(1))
const segment = fc
  .tuple(
    fc
      .constantFrom(...words)
      .chain(recase)
      .chain(letterwise),
    added,
  )
  .map((parts) => parts.join(''))
const arbitraryPath = fc
  .array(fc.tuple(separator, segment), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.flat().join(''))

/** The storage's write routes, as clients old and new use them. */
const routes = [
  ...['/shard', '/shards', '/shard/:p/:h', '/xorb', '/xorb/*rest', '/xorbs/*rest'],
  ...['/v1/shards', '/v2/shards', '/v1/xorbs/:p/:h', '/api/v1/shards', '/api/v1/xorbs/:p/:h'],
  ...['/v1/xorb-grants/:p/:h', '/*deep/shards', '/*deep/xorb-grants/:p/:h'],
]

/** A router that repairs all it can: whatever might be meant, it finds. */
function repairingRouter(path: string): boolean {
  const decoded = unfolded(unfolded(path.replace(/[?#].*$/s, '')))
  const segments: string[] = []
  for (const text of decoded.normalize('NFKC').split(/[/\\]+/)) {
    const part = text.replace(/;.*$/s, '')
    if (part === '..') segments.pop()
    else if (part !== '' && part !== '.') segments.push(part.replace(/[. ]+$/, ''))
  }
  const sought = segments.join('/').toUpperCase().toLowerCase()
  return /(?:^|\/)(?:shard|xorb)/.test(sought)
}

function unfolded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

let client: RawClient
const app = express()
for (const path of routes) {
  app.all(path, (request, response) => {
    const isWrite = writing.some((method) => method === request.method)
    response.status(isWrite ? 201 : 200).end()
  })
}
const server = createServer(app)

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  client = rawClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
afterAll(() => {
  client.close()
  server.close().closeAllConnections()
})

async function gateWith(relaxOtherMethods: boolean): Promise<Gate> {
  const keys = await readKeySet(jwks)
  const rules = { relaxOtherMethods }
  return createGate({ keys, issuer, casUrl, rules, clock: movedClock().now })
}

/** The path by which the storage gets the request; undefined when the gate refuses it. */
async function admittedPath(gate: Gate, method: string, path: string): Promise<string | undefined> {
  const target = `${prefix}${path}`
  const checked = await gate.check({ method, target, headers: authorization })
  return checked.ok ? checked.path + checked.query : undefined
}

describe.each([
  ['the rules as they are', false],
  ['the other methods relaxed', true],
])('with %s', (_, relaxOtherMethods) => {
  // conformance: Attacks / 13. An attacker makes the checked path differ from the routed path
  test('no read token reaches a write route of Express or of a router that repairs paths', async () => {
    const gate = await gateWith(relaxOtherMethods)
    let admitted = 0
    const property = fc.asyncProperty(
      fc.constantFrom(...writing),
      arbitraryPath,
      async (method, path) => {
        const upstream = await admittedPath(gate, method, path)
        if (upstream === undefined) return
        admitted += 1
        expect(repairingRouter(upstream), `${method} ${upstream}`).toBe(false)
        const { status } = await client.send({ method, target: upstream, headers: [] })
        expect(status, `${method} ${upstream}`).toBe(404)
      },
    )
    const numRuns = rounds(1500, 5000)
    await fc.assert(property, { numRuns })
    expect(admitted).toBeGreaterThan(numRuns / 150)
  })
})

test('both routers find write routes, so that the property above says something', async () => {
  for (const path of ['/shard', '/SHARD', '/V1/Shards', '/xorb/a/b', '/api/v1/shards', '/shard/']) {
    expect(repairingRouter(path), path).toBe(true)
    const { status } = await client.send({ method: 'POST', target: path, headers: [] })
    expect(status, path).toBe(201)
  }
  for (const path of [
    '//shard',
    '/x/../shard',
    '/%73hard',
    '/shard;x',
    '/%C5%BFhard',
    '/\\shard',
  ]) {
    expect(repairingRouter(path), path).toBe(true)
  }
})
