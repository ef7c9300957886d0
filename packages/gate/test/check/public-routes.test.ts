/** Routes that need no token: what is taken for one, and what a handler learns there. */

import { createServer } from 'node:http'
import { rounds } from '@latchkey/testing/chance'
import { bearer, casUrl, issuer, prefix } from '@latchkey/testing/gate/storage-tokens'
import type { Send } from '@latchkey/testing/vectors/judge'
import { outcomeOf } from '@latchkey/testing/vectors/outcome-of'
import express from 'express'
import fc from 'fast-check'
import { fastify } from 'fastify'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fastifyGate } from '../../src/adapters/fastify.ts'
import { admittedOf, guardNode } from '../../src/adapters/node.ts'
import { CannotStart, createGate, type GateOptions, guardFetch } from '../../src/index.ts'
import { guardHono, sending, serving, testGate } from '../adapters/adapters.ts'

const publicRoutes = [
  { path: '/healthz' },
  { path: '/public/**' },
  { path: '/hooks', methods: ['POST'] },
]
const gate = testGate({ publicRoutes })

const isPublic = (method: string, target: string, headers: readonly string[] = []) =>
  gate.isPublic({ method, target, headers })

describe('a request is for a public route', () => {
  test.each([
    ['GET', '/healthz'],
    ['HEAD', '/healthz'],
    ['GET', '/healthz?verbose=1'],
    ['GET', 'https://cas.example/healthz'],
    ['GET', '/public/a'],
    ['GET', '/public/a/b.css'],
    ['POST', '/hooks'],
  ])('%s %s', (method, target) => {
    expect(isPublic(method, target)).toBe(true)
  })
})

/** Spellings by which somebody might get in without a token. */
const attacks: readonly (readonly [method: string, target: string])[] = [
  ...['/HEALTHZ', '/Healthz', '/healthz/', '//healthz', '/./healthz', '/x/../healthz'].map(get),
  ...['/healthz%2F', '/%68ealthz', '/healthz%00', '/healthz;x', '/healthz/x', '/healthzx'].map(get),
  ...['/healthz.', '/healthz%20', '/healthz\\', '/healthz%3F', '/healthz#x', 'healthz'].map(get),
  ...['/public', '/public/', '/public//a', '/publicity/a', '/PUBLIC/a', '/pub%6Cic/a'].map(get),
  ...[`/public/..${prefix}/x`, `/public/%2e%2e${prefix}/x`, `/public/..%2f..${prefix}/x`].map(get),
  ...[`/public/.%2e/${prefix}/x`, '/public/..', '/public/.', `/public/..;${prefix}/x`].map(get),
  ...['/public/a%2Fb', '/public/a%20b', '/public/%C3%A9', '/public\\..\\x', '/public/a/'].map(get),
  ...['/public/%EF%BC%8F..%EF%BC%8Fx', `//cas.example${prefix}/x`, '/public/a\\b'].map(get),
  ...[`${prefix}/healthz`, `${prefix}/public/a`, `${prefix}/v1/chunks/default/abc`].map(get),
  ...[
    'https://evil.example/healthz',
    'https://cas.example:444/healthz',
    'ftp://cas.example/healthz',
  ].map(get),
  ...['https://cas.example@evil.example/healthz', 'https://evil.example/?/healthz', '*', ''].map(
    get,
  ),
  ...['/?/healthz', `${prefix}/x?/healthz`, `${prefix}/x#/healthz`].map(get),
  ...['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'get', 'Get', 'BREW', ''].map(
    (method) => [method, '/healthz'] as const,
  ),
  ...['GET', 'HEAD', 'PUT', 'post'].map((method) => [method, '/hooks'] as const),
  ['GET', '/healthz?_method=DELETE'],
  ['GET', '/healthz?%5fmethod=DELETE'],
]

function get(target: string): readonly [string, string] {
  return ['GET', target]
}

// conformance: Attacks / 13. An attacker makes the checked path differ from the routed path
describe('a request without a token is not for a public route', () => {
  test.each(attacks)('%s %s', async (method, target) => {
    expect(isPublic(method, target)).toBe(false)
    expect(await gate.check({ method, target, headers: [] })).toMatchObject({ ok: false })
  })

  test.each([
    ['X-HTTP-Method-Override', 'DELETE'],
    ['X-Original-URL', `${prefix}/x`],
    ['X-Rewrite-Url', `${prefix}/x`],
    ['Latchkey-Subject', 'ada'],
    ['Upgrade', 'websocket'],
    ['Content-Length', '5'],
  ])('with the header %s', (name, value) => {
    expect(isPublic('GET', '/healthz')).toBe(true)
    expect(isPublic('GET', '/healthz', [name, value])).toBe(false)
  })

  test('also where the gate lets slashes through', () => {
    const lenient = testGate({ publicRoutes, allowPaths: ['encoded-slash', 'trailing-slash'] })
    for (const target of ['/healthz/', '/public/a/', '/public/a%2Fb', '/public%2Fa', '/public/']) {
      expect(lenient.isPublic({ method: 'GET', target, headers: [] }), target).toBe(false)
      const headers = ['Authorization', bearer()]
      expect(lenient.isPublic({ method: 'GET', target, headers }), target).toBe(false)
    }
  })

  test('where it needs a write token below an open path', () => {
    const hooks = testGate({ publicRoutes: [{ path: '/hooks/**', methods: ['POST'] }] })
    const asked = (target: string) => hooks.isPublic({ method: 'POST', target, headers: [] })
    expect(asked('/hooks/push')).toBe(true)
    for (const target of ['/hooks/shard', '/hooks/v1/XORBS/x']) expect(asked(target)).toBe(false)
  })
})

/** Finds the path that may be meant: decoded twice, without dots, empty segments and parameters. */
function repaired(target: string): string {
  const decoded = decodedOnce(decodedOnce(target.replace(/[?#].*$/s, '')))
  const segments: string[] = []
  for (const text of decoded.normalize('NFKC').split(/[/\\]+/)) {
    const part = text.replace(/;.*$/s, '')
    if (part === '..') segments.pop()
    else if (part !== '' && part !== '.') segments.push(part)
  }
  return `/${segments.join('/')}`
}

function decodedOnce(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

test('whatever is taken for public is so for a router that repairs paths', () => {
  const piece = fc.constantFrom(
    ...['/', '//', '/public', '/healthz', 'public', 'healthz', '/a', prefix, '..', '.', ';x'],
    ...['%2e', '%2F', '%5C', '\\', '%20', '%25', '%252e', '%EF%BC%8F', '?', '#', 'x'],
  )
  const target = fc
    .tuple(fc.constantFrom('/public', '/healthz', '/public/', ''), fc.array(piece))
    .map(([start, pieces]) => start + pieces.join(''))
  let found = 0
  fc.assert(
    fc.property(target, (text) => {
      if (!isPublic('GET', text)) return
      found += 1
      expect(repaired(text)).toMatch(/^\/(?:healthz$|public\/[^/])/)
    }),
    { numRuns: rounds(3000, 30_000) },
  )
  expect(found).toBeGreaterThan(20)
})

async function inProcess(
  guard: typeof guardFetch<[]>,
  options: { origins: string[] } | undefined,
): Promise<Send> {
  const guarded = guard(gate, (_, { grant }) => new Response(grant.subject), {
    ...options,
    publicHandler: () => new Response('public'),
  })
  return async ({ method, target, headers }) => {
    const lines = headers.map(([name, value]): [string, string] => [name, value])
    const url = target.startsWith('http') ? target : `https://cas.example${target}`
    return outcomeOf(await guarded(new Request(url, { method, headers: lines })))
  }
}

/** A storage that answers every request, with its grant if it has one. */
const ways: Readonly<Record<string, (options?: { origins: string[] }) => Promise<Send>>> = {
  fetch: (options) => inProcess(guardFetch, options),
  hono: (options) => inProcess(guardHono, options),
  async 'node:http'(options) {
    const guard = guardNode(gate, options)
    return serving((request, response) =>
      guard(request, response, () => {
        response.end(subjectOf(() => admittedOf(request).grant.subject))
      }),
    )
  },
  async express(options) {
    const app = express()
    app.use(guardNode(gate, options))
    app.use((request, response) => {
      response.end(subjectOf(() => admittedOf(request).grant.subject))
    })
    return serving(createServer(app).listeners('request')[0] as never)
  },
  async fastify(options) {
    const app = fastify()
    onTestFinished(() => app.close())
    await app.register(fastifyGate, { gate, ...options })
    app.all('*', async (request) => subjectOf(() => request.admitted.grant.subject))
    return sending(await app.listen({ host: '127.0.0.1', port: 0 }))
  },
}

function subjectOf(read: () => string): string {
  try {
    return read()
  } catch (error) {
    expect(String(error)).toContain('its route is public')
    return 'public'
  }
}

/** What the parser of Node hands on. */
const sentMethod = /^(?:GET|HEAD|POST|PUT|DELETE|PATCH|OPTIONS)$/
const sentTarget = /^(?:\/|https:)/

/** A URL object repairs some paths, and the app behind the gate gets the repaired one. */
function staysItself(target: string): boolean {
  const { pathname, search } = new URL(`https://cas.example${target}`)
  return pathname + search === target
}

const forged = `${bearer().slice(0, -6)}AAAAAA`

describe.each(Object.entries(ways))('through %s', (way, open) => {
  test('a public route is served without a token, and without a grant whatever the token', async () => {
    const send = await open()
    for (const token of [undefined, bearer(), forged, 'Bearer x', 'Basic eDp5']) {
      const headers = token === undefined ? [] : [['Authorization', token] as const]
      const { status, body } = await send({ method: 'GET', target: '/healthz', headers })
      expect([status, body], token).toEqual([200, 'public'])
    }
    const headers = [['Authorization', bearer()] as const]
    const storage = await send({ method: 'GET', target: `${prefix}/v1/chunks/a/b`, headers })
    expect([storage.status, storage.body]).toEqual([200, 'ada-id'])
  })

  test('no other spelling of it is served without a token', async () => {
    const send = await open()
    const possible = attacks.filter(
      ([method, target]) =>
        sentMethod.test(method) &&
        sentTarget.test(target) &&
        (!['fetch', 'hono'].includes(way) || staysItself(target)),
    )
    for (const [method, target] of possible) {
      const { status, body } = await send({ method, target, headers: [] })
      expect([400, 401, 404], `${method} ${target}`).toContain(status)
      expect(body).not.toBe('public')
    }
    expect(possible.length).toBeGreaterThan(30)
  })

  test('pages of allowed origins may read public routes', async () => {
    const send = await open({ origins: ['https://app.example'] })
    const headers = [['Origin', 'https://app.example'] as const]
    const { status, header } = await send({ method: 'GET', target: '/public/a', headers })
    expect(status).toBe(200)
    expect(header('access-control-allow-origin')).toBe('https://app.example')
  })
})

test('public routes are served while the gate has no keys', async () => {
  const source = { known: () => undefined, refresh: async () => undefined }
  const options = { keys: source, issuer, casUrl, publicRoutes } as unknown as GateOptions
  const without = createGate(options)
  const asked = { method: 'GET', target: '/healthz', headers: ['Authorization', bearer()] }
  expect(without.isPublic(asked)).toBe(true)
  const checked = await without.check({ ...asked, target: `${prefix}/x` })
  expect(checked.ok ? 'admitted' : checked.refusal.code).toBe('gate_not_ready')
})

test('a gate without public routes has none', () => {
  expect(testGate().isPublic({ method: 'GET', target: '/healthz', headers: [] })).toBe(false)
})

test('guardFetch asks for a handler of public routes', () => {
  const start = () => guardFetch(gate, () => new Response())
  expect(start).toThrow(CannotStart)
  expect(start).toThrow(/publicHandler/)
})

describe('a public route that opens more than it says does not start', () => {
  // biome-ignore format: a table is read by its columns
  test.each<[string, unknown, RegExp]>([
    ['everything',                  { path: '/**' },                                /one path in its normal form/],
    ['a star inside',               { path: '/public/*/x' },                        /one path in its normal form/],
    ['two stars inside',            { path: '/a/**/b' },                            /one path in its normal form/],
    ['no slash',                    { path: 'healthz' },                            /one path in its normal form/],
    ['a slash at the end',          { path: '/healthz/' },                          /one path in its normal form/],
    ['dots',                        { path: '/a/../b' },                            /one path in its normal form/],
    ['an encoded slash',            { path: '/a%2Fb' },                             /one path in its normal form/],
    ['a query',                     { path: '/a?b' },                               /one path in its normal form/],
    ['no path',                     { methods: ['GET'] },                           /one path in its normal form/],
    ['a text',                      '/healthz',                                     /takes its options as an object/],
    ['another name',                { path: '/healthz', method: 'GET' },            /Did you mean methods/],
    ['methods in lower case',       { path: '/healthz', methods: ['get'] },         /list in upper case/],
    ['no methods',                  { path: '/healthz', methods: [] },              /list in upper case/],
    ['a star for methods',          { path: '/healthz', methods: ['*'] },           /list in upper case/],
    ['a method that writes',        { path: '/files', methods: ['GET', 'PUT'] },    /PUT needs a write token/],
    ['a write route',               { path: '/v1/shards', methods: ['POST'] },      /POST needs a write token/],
    ['content of a repository',     { path: '/r/bertuid/mainuid/readme' },          /casUrl puts content of repositories there/],
    ['the prefix itself',           { path: '/r/bertuid/mainuid' },                 /casUrl puts content of repositories there/],
    ['all repositories',            { path: '/r/**' },                              /casUrl puts content of repositories there/],
    ['all refs of one',             { path: '/r/bertuid/**' },                      /casUrl puts content of repositories there/],
  ])('%s', (_, route, line) => {
    const start = () => testGate({ publicRoutes: [route] } as never)
    expect(start).toThrow(CannotStart)
    expect(start).toThrow(line)
  })

  test('below the prefix of another casUrl it does', () => {
    const other = { casUrl: 'https://cas.example/{repo}/{ref}' }
    expect(() => testGate({ ...other, publicRoutes: [{ path: '/public/**' }] })).toThrow(/casUrl/)
    expect(() => testGate({ ...other, publicRoutes: [{ path: '/healthz' }] })).not.toThrow()
    expect(() => testGate({ publicRoutes: [{ path: '/r/healthz' }] })).not.toThrow()
  })
})
