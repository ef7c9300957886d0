/** Sessions: their cookie, their ends, and the forms that they may send. */

import { verbs } from '@latchkey/admin-api'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { csrfOf, sentBack, signIn, submit, visit } from './browser.ts'

const grants = [{ on: 'models/acme/bert', contents: 'read' }]
const people = {
  accounts: [{ name: 'ada', administrator: true }, { name: 'ben' }],
  namespaces: [{ name: 'acme', members: { ada: 'admin', ben: 'write' } }],
  repositories: [{ type: 'model', id: 'acme/bert', visibility: 'private' }],
  hubTokens: [
    { account: 'ada', name: 'laptop', kind: 'write' },
    { account: 'ada', name: 'admin', kind: 'admin' },
    { account: 'ben', name: 'laptop', kind: 'write' },
    { account: 'ben', name: 'reading', kind: 'read' },
    { account: 'ben', name: 'fine', kind: 'fine-grained', grants },
  ],
}

let world: World
beforeAll(async () => {
  world = await startWorld(people)
})
afterAll(() => world.close())

const tokenOf = (name: string) => world.tokens[name]?.reveal() ?? ''

/** A hub token of its own for a test that revokes it or lets it expire. */
async function newToken(name: string, more: object = {}): Promise<{ id: string; token: string }> {
  const wish = { account: 'ben', name, kind: 'write', ...more }
  return (await world.done('hub-token create', wish as never)) as never
}

describe('a session', () => {
  test('has a cookie that no script reads, no other host sets, and that is not the hub token', async () => {
    const answer = await submit(world, '/login', { token: tokenOf('ben/laptop') })
    expect([answer.status, answer.location]).toEqual([303, '/account'])
    expect(answer.cookies).toEqual([
      expect.stringMatching(
        /^__Host-latchkey=lks_\w{49}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure$/,
      ),
    ])
    const { status, text } = await visit(world, '/account', { cookie: sentBack(answer) })
    expect([status, text.includes('Signed in as ben')]).toEqual([200, true])
    expect(text).not.toMatch(/lks?_\w{49}|<script|style=/)
  })

  // conformance: Forge / A login session opens only pages
  // conformance: Attacks / 73. An attacker uses a sign-in or a session of somebody else
  test('authorizes no route but pages, neither by its cookie nor as a bearer', async () => {
    const cookie = await signIn(world, 'ada/laptop')
    const bearer = { authorization: `Bearer ${cookie.split('=')[1]}` }
    const ofVerbs = verbs.map(({ method, path }) => [method, path.replace(/\{\w+\}/g, 'x')])
    const routes = [
      ...ofVerbs,
      ...[
        ['GET', '/api/whoami'],
        ['GET', '/api/whoami-v2'],
        ['GET', '/account/v1/hub-tokens'],
        ['GET', '/account/v1/sessions'],
        ['GET', '/link/v1/changes'],
      ],
      ['GET', '/api/models/acme/bert/storage-read-token/main'],
      ['GET', '/api/models/acme/bert/storage-write-token/main'],
    ]
    const seen = async (method = '', path = '', headers: Record<string, string> = {}) => {
      const isBody = method !== 'GET' && method !== 'DELETE'
      const answer = await fetch(world.hub.url + path, {
        method,
        headers: { ...headers, ...(isBody && { 'content-type': 'application/json' }) },
        ...(isBody && { body: '{}' }),
      })
      return [method, path, answer.status]
    }
    for (const [method, path] of routes) {
      const none = await seen(method, path)
      expect([401, 404]).toContain(none[2])
      expect(await seen(method, path, { cookie })).toEqual(none)
      expect(await seen(method, path, bearer)).toEqual(none)
    }
    // The same bearer is no credential for a sign-in either.
    const [, value = ''] = cookie.split('=')
    expect((await submit(world, '/login', { token: value })).status).toBe(401)
  })

  // conformance: Attacks / 73. An attacker uses a sign-in or a session of somebody else
  test('has another id after each sign-in, and the one before is over', async () => {
    const first = await signIn(world, 'ben/laptop')
    const again = await submit(world, '/login', { token: tokenOf('ben/laptop') }, { cookie: first })
    const second = sentBack(again)
    expect(second).not.toBe(first)
    expect((await visit(world, '/account', { cookie: second })).status).toBe(200)
    const over = await visit(world, '/account', { cookie: first })
    expect([over.status, over.location]).toEqual([303, '/login?next=%2Faccount'])
    expect(over.cookies).toEqual([expect.stringContaining('__Host-latchkey=; Path=/; Max-Age=0')])
  })

  // conformance: Attacks / 73. An attacker uses a sign-in or a session of somebody else
  test('is found by one cookie alone, so that none can be set beside it', async () => {
    const cookie = await signIn(world, 'ben/laptop')
    const other = await signIn(world, 'ada/laptop')
    expect((await visit(world, '/account', { cookie: `${cookie}; ${other}` })).status).toBe(303)
    const plain = cookie.replace('__Host-latchkey', 'latchkey-session')
    expect((await visit(world, '/account', { cookie: plain })).status).toBe(303)
  })

  test.each([
    ['is revoked', (hubToken: string) => world.done('hub-token revoke', { hubToken } as never)],
    ['expires', async () => world.passSeconds(601)],
  ])('ends when the hub token that opened it %s', async (how, end) => {
    const expiresAt = new Date((world.now() + 600) * 1000).toISOString()
    const { id, token } = await newToken(how.replace(' ', '-'), { expiresAt })
    const cookie = await signIn(world, token)
    expect((await visit(world, '/account', { cookie })).status).toBe(200)
    await end(id)
    expect((await visit(world, '/account', { cookie })).status).toBe(303)
  })

  test('ends with its account, and does not come back when the account does', async () => {
    const cookie = await signIn(world, 'ben/laptop')
    await world.done('account set', { account: 'ben', disabled: true } as never)
    expect((await visit(world, '/account', { cookie })).status).toBe(303)
    await world.done('account set', { account: 'ben', disabled: false } as never)
    expect((await visit(world, '/account', { cookie })).status).toBe(303)
  })

  test('ends 8 hours after the last request, and 7 days after the sign-in', async () => {
    const idle = await signIn(world, 'ben/laptop')
    world.passSeconds(8 * 3600 - 60)
    expect((await visit(world, '/account', { cookie: idle })).status).toBe(200)
    world.passSeconds(8 * 3600 - 60)
    expect((await visit(world, '/account', { cookie: idle })).status).toBe(200)
    world.passSeconds(8 * 3600)
    expect((await visit(world, '/account', { cookie: idle })).status).toBe(303)
    const busy = await signIn(world, 'ben/laptop')
    const opened = world.now()
    while (world.now() - opened < 7 * 86_400 - 7 * 3600) {
      world.passSeconds(7 * 3600)
      expect((await visit(world, '/account', { cookie: busy })).status).toBe(200)
    }
    world.passSeconds(7 * 3600)
    expect((await visit(world, '/account', { cookie: busy })).status).toBe(303)
  })

  test('of an admin or storage hub token is not opened', async () => {
    const answer = await submit(world, '/login', { token: tokenOf('ada/admin') })
    expect([answer.status, answer.cookies]).toEqual([403, []])
  })
})

// conformance: Attacks / 73. An attacker uses a sign-in or a session of somebody else
describe('a form', () => {
  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://hub.example' }],
    ['another host of the domain', { 'sec-fetch-site': 'same-site' }],
    ['an address that was typed', { 'sec-fetch-site': 'none' }],
    ['another origin', { origin: 'https://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
    ['no browser', {}],
  ])('of %s is refused', async (_, headers) => {
    const login = await submit(world, '/login', { token: tokenOf('ben/laptop') }, { headers })
    expect([login.status, login.cookies]).toEqual([400, []])
    const cookie = await signIn(world, 'ben/laptop')
    const csrf = await csrfOf(world, cookie)
    expect((await submit(world, '/logout', { csrf }, { cookie, headers })).status).toBe(400)
    expect((await visit(world, '/account', { cookie })).status).toBe(200)
  })

  test('needs the token of its own session', async () => {
    const cookie = await signIn(world, 'ben/laptop')
    const other = await csrfOf(world, await signIn(world, 'ada/laptop'))
    for (const form of [{}, { csrf: '' }, { csrf: other }]) {
      expect((await submit(world, '/logout', form, { cookie })).status).toBe(400)
    }
    const csrf = await csrfOf(world, cookie)
    const ended = await submit(world, '/logout', { csrf }, { cookie })
    expect([ended.status, ended.location]).toEqual([303, '/login'])
    expect((await visit(world, '/account', { cookie })).status).toBe(303)
  })

  test('of more than 8 KiB is refused', async () => {
    expect((await submit(world, '/login', { token: 'x'.repeat(9000) })).status).toBe(413)
  })

  test.each([
    ['', 400, 'Paste a hub token.'],
    ['a b', 400, 'Paste a hub token.'],
    ['lk_nobody', 401, 'hub token'],
    ['"><script>', 401, 'hub token'],
  ])('with the hub token %j is refused, and shown again', async (token, status, sentence) => {
    const answer = await submit(world, '/login', { token, next: '"><script>' })
    expect([answer.status, answer.cookies]).toEqual([status, []])
    expect(answer.text).toContain(sentence)
    expect(answer.text).toContain('<form method="post" action="/login">')
    expect(answer.text).not.toContain('<script')
  })
})

// biome-ignore format: a table is read by its columns
test.each([
  ['https://evil.example/',        '/account'],
  ['//evil.example/a',             '/account'],
  ['/\\evil.example/a',            '/account'],
  ['/\\/evil.example/a',           '/account'],
  ['/./\\evil.example',            '/account'],
  ['/.//evil.example',             '/account'],
  ['/a/..//evil.example',          '/account'],
  ['/\t/evil.example',             '/account'],
  ['/a\r\nx: y',                   '/account'],
  ['javascript:alert(1)',          '/account'],
  ['',                             '/account'],
  ['/acme/bert?x=y#z',             '/acme/bert?x=y'],
  ['/datasets/acme/pets/blob/main/a%20b/%C3%BC.txt', '/datasets/acme/pets/blob/main/a%20b/%C3%BC.txt'],
])('a sign-in with the way back %j leads to %s', async (next, location) => {
  const answer = await submit(world, '/login', { token: tokenOf('ben/laptop'), next })
  expect([answer.status, answer.location]).toEqual([303, location])
})

describe('self-service', () => {
  const create = async (cookie: string, form: Record<string, string>) => {
    const csrf = await csrfOf(world, cookie)
    const answer = await submit(world, '/account/hub-tokens', { csrf, ...form }, { cookie })
    return { ...answer, token: /id="token">(\w+)</.exec(answer.text)?.[1] }
  }
  const whoami = async (token = '') => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`${world.hub.url}/api/whoami`, { headers })
    // biome-ignore lint/suspicious/noExplicitAny: a test says by its expectations what it must be
    const json: any = await answer.json()
    return answer.status === 200 ? json.hubToken : answer.status
  }

  test('creates, rotates and revokes hub tokens of the account', async () => {
    const cookie = await signIn(world, 'ben/laptop')
    const made = await create(cookie, { name: 'notebook', kind: 'read', days: '30' })
    expect(made.status).toBe(200)
    const { id, ...shown } = await whoami(made.token)
    expect(shown).toMatchObject({ account: 'ben', kind: 'read', origin: 'self' })
    expect(Date.parse(shown.expiresAt) / 1000 - world.now()).toBe(30 * 86_400)
    const csrf = await csrfOf(world, cookie)
    const rotated = await submit(world, `/account/hub-tokens/${id}/rotate`, { csrf }, { cookie })
    const token = /id="token">(\w+)</.exec(rotated.text)?.[1]
    expect(await whoami(made.token)).toBe(401)
    const after = await whoami(token)
    expect(after).toMatchObject({ name: 'notebook', kind: 'read', expiresAt: shown.expiresAt })
    await submit(world, `/account/hub-tokens/${after.id}/revoke`, { csrf }, { cookie })
    expect(await whoami(token)).toBe(401)
  })

  test('creates fine-grained hub tokens, and does not tell whether a repository exists', async () => {
    const cookie = await signIn(world, 'ben/laptop')
    const fine = { kind: 'fine-grained', days: '1', contents: 'write', refs: 'main' }
    const [one, other] = [
      await create(cookie, { ...fine, name: 'one', repositories: 'models/acme/bert' }),
      await create(cookie, { ...fine, name: 'two', repositories: 'models/zzz/none' }),
    ]
    expect([one.status, other.status]).toEqual([200, 200])
    const { grants } = await whoami(one.token)
    expect(grants).toEqual([{ on: 'models/acme/bert', contents: 'write', refs: ['main'] }])
    for (const repositories of ['', 'bert', '*/*']) {
      expect((await create(cookie, { ...fine, name: 'three', repositories })).status).toBe(400)
    }
  })

  test.each([
    ['an admin kind', { kind: 'admin' }, 403],
    ['a storage kind', { kind: 'storage' }, 403],
    ['a name that is taken', { name: 'LAPTOP' }, 409],
    ['a name that clients keep for themselves', { name: 'DEFAULT' }, 400],
    ['a name with a control character', { name: 'a\nb' }, 400],
    ['a life that is no number', { days: '-1' }, 400],
    ['grants that its kind has not', { kind: 'fine-grained' }, 400],
  ])('refuses %s', async (_, more, status) => {
    const cookie = await signIn(world, 'ben/laptop')
    const answer = await create(cookie, { name: 'refused', kind: 'write', days: '1', ...more })
    expect([answer.status, answer.token]).toEqual([status, undefined])
  })

  // conformance: Attacks / 79. An attacker makes something lasting from something short-lived
  test('needs a sign-in of the last 15 minutes, with an unrestricted hub token', async () => {
    const wish = { name: 'late', kind: 'read', days: '1' }
    const cookie = await signIn(world, 'ben/laptop')
    world.passSeconds(15 * 60)
    expect((await create(cookie, wish)).status).toBe(403)
    expect((await visit(world, '/account', { cookie })).text).toContain('/login?fresh=1')
    for (const restricted of ['ben/reading', 'ben/fine']) {
      const weak = await signIn(world, restricted)
      expect((await create(weak, wish)).status).toBe(403)
    }
    const [own] = (
      (await world.done('hub-token list', { account: 'ben' } as never)) as never as {
        items: { id: string; name: string }[]
      }
    ).items
    const csrf = await csrfOf(world, cookie)
    const path = `/account/hub-tokens/${own?.id}/rotate`
    expect((await submit(world, path, { csrf }, { cookie })).status).toBe(403)
  })

  // conformance: Attacks / 79. An attacker makes something lasting from something short-lived
  test('makes no hub token that outlives the one of the sign-in', async () => {
    const expiresAt = new Date((world.now() + 3600) * 1000).toISOString()
    const { token } = await newToken('short', { expiresAt })
    const cookie = await signIn(world, token)
    for (const days of ['', '30']) {
      const made = await create(cookie, { name: `lasting${days}`, kind: 'write', days })
      expect(Date.parse((await whoami(made.token)).expiresAt)).toBe(Date.parse(expiresAt))
    }
  })

  // conformance: Attacks / 79. An attacker makes something lasting from something short-lived
  test('reaches no hub token of another account', async () => {
    const { id } = (await world.done('hub-token create', {
      ...{ account: 'ada', name: 'hers', kind: 'write' },
    } as never)) as never as { id: string }
    const cookie = await signIn(world, 'ben/laptop')
    const csrf = await csrfOf(world, cookie)
    for (const word of ['rotate', 'revoke']) {
      const path = `/account/hub-tokens/${id}/${word}`
      expect((await submit(world, path, { csrf }, { cookie })).status).toBe(404)
    }
    const shown = (await world.done('hub-token show', { hubToken: id } as never)) as never
    expect(shown).not.toHaveProperty('revokedAt')
  })
})
