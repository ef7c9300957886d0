/** Providers that are slow, down, wrong or changed: a person gets a page, and nothing is half made. */

import { setImmediate } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { ada, type Browser, openSignIn, type SignInWorld } from '../sign-in/open-sign-in.ts'

let world: SignInWorld
let browser: Browser
beforeAll(async () => {
  world = await openSignIn()
})
afterAll(() => world?.close())
beforeEach(() => {
  world.reset()
  browser = world.browser()
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Accounts, identities, hub tokens and sessions. */
const rows = () =>
  world.store.directory.read(async (tables) => [
    await tables.selectFrom('accounts').selectAll().execute(),
    await tables.selectFrom('identities').selectAll().execute(),
    await tables.selectFrom('hub_tokens').selectAll().execute(),
    await tables.selectFrom('sessions').selectAll().execute(),
  ])

describe('a provider that does not answer', () => {
  test('costs a person one page, and other requests nothing', async () => {
    const back = await browser.upToCallback()
    const before = await rows()
    const asked = Promise.withResolvers<void>()
    world.corp.intercept = () => {
      asked.resolve()
      return true
    }
    const limit = new AbortController()
    const limits = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => limit.signal)
    const ending = browser.end(back)
    await asked.promise
    expect(limits).toHaveBeenCalledWith(10_000)
    expect((await fetch(`${world.hub.url}/healthz`)).status).toBe(200)
    // Others sign in meanwhile, elsewhere.
    vi.mocked(AbortSignal.timeout).mockRestore()
    world.other.people.set('ben-1', { ...ada, preferred_username: 'ben' })
    expect((await world.browser().signIn('/login/other', 'ben-1')).status).toBe(303)
    const between = await rows()
    limit.abort(new DOMException('it took too long', 'TimeoutError'))
    const page = await ending
    expect([page.status, page.session]).toEqual([502, undefined])
    expect(page.text).toContain('Try again in a minute')
    expect(await rows()).toEqual(between)
    expect(before).not.toEqual(between)
    world.corp.intercept = undefined
    expect((await world.browser().signIn()).status).toBe(303)
  })

  test('before anybody has signed in is a page too, and is asked again', async () => {
    // Discovery is kept for an hour.
    world.aheadSeconds = 3601
    const { fetch: real } = globalThis
    vi.spyOn(globalThis, 'fetch').mockImplementation((url, ...more) =>
      String(url).startsWith(world.corp.issuer)
        ? Promise.reject(new TypeError('fetch failed'))
        : real(url, ...more),
    )
    const page = await browser.end('https://hub.example/login/corp')
    expect([page.status, page.text.includes('did not answer as expected')]).toEqual([502, true])
    vi.restoreAllMocks()
    await setImmediate()
    expect((await browser.end('https://hub.example/login/corp')).status).toBe(502)
    world.aheadSeconds += 5
    expect((await browser.signIn()).status).toBe(303)
  })
})

describe('a provider with other keys', () => {
  test('is believed with its new key at the next try, and no more with the one before', async () => {
    expect((await browser.signIn()).status).toBe(303)
    const signBefore = await world.corp.rotate()
    // The keys that are kept do not fit: the person starts again, and the hub asks for the new ones.
    expect(await world.browser().signIn()).toMatchObject({ status: 502, session: undefined })
    expect((await world.browser().signIn()).status).toBe(303)
    const thief = world.browser()
    const address = await thief.upToProvider()
    const back = await thief.throughProvider(address)
    const nonce = new URL(address).searchParams.get('nonce')
    const iat = Math.floor(Date.now() / 1000)
    const { issuer: iss, clientId: aud } = world.corp
    const claims = { iss, aud, sub: 'ada-1', nonce, iat, exp: iat + 300, ...ada }
    const id_token = await signBefore(claims)
    world.corp.intercept = (_, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ access_token: 'x', token_type: 'bearer', id_token }))
      return true
    }
    expect(await thief.end(back)).toMatchObject({ status: 502, session: undefined })
  })
})

describe('a provider that answers a code with rubbish', () => {
  const answer = (change: object) =>
    JSON.stringify({ access_token: 'x', token_type: 'bearer', ...change })
  test.each([
    ['no JSON', '<html>'],
    ['a list', '[]'],
    ['no tokens', '{}'],
    ['no id token', answer({})],
    ['an id token that is none', answer({ id_token: 'x' })],
    ['an id token of three words', answer({ id_token: 'a.b.c' })],
    [
      'an id token without a signature',
      answer({ id_token: `${'e30'}.${Buffer.from('{}').toString('base64url')}.` }),
    ],
    ['another type of token', answer({ token_type: 'mac', id_token: 'a.b.c' })],
  ])('%s opens no session', async (_, body) => {
    world.corp.people.set('new-1', { ...ada, preferred_username: 'rubbish' })
    const back = await browser.upToCallback(undefined, 'new-1')
    const before = await rows()
    world.corp.intercept = (_request, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(body)
      return true
    }
    const page = await browser.end(back)
    expect(page.session).toBeUndefined()
    expect([400, 502]).toContain(page.status)
    expect(page.text).toContain('role="alert"')
    expect(await rows()).toEqual(before)
    expect(world.logLines.join('')).toContain('"sign_in_refused"')
  })
})

// conformance: Attacks / 78. An attacker profits from memberships that ended, or from wrong clocks
test('a provider that leaves out the groups admits nobody, and the page says why', async () => {
  expect((await browser.signIn()).status).toBe(303)
  const { groups: _, ...rest } = ada
  for (const claims of [rest, { ...rest, groups: null }, { ...rest, groups: 'models' }]) {
    world.corp.people.set('ada-1', claims)
    const page = await world.browser().signIn()
    expect([page.status, page.session]).toEqual([403, undefined])
    expect(page.text).toContain('the claim groups is no list of groups')
  }
})
