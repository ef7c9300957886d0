/** Sign-in by a real OpenID provider, and the attacks on it. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ada, openSignIn, publicUrl, type SignInWorld } from './open-sign-in.ts'

let world: SignInWorld
beforeAll(async () => {
  world = await openSignIn()
})
afterAll(() => world?.close())
beforeEach(() => world.reset())

describe('a sign-in by a provider', () => {
  test('opens a session, makes the account once, and finds it by issuer and subject', async () => {
    const browser = world.browser()
    const first = await browser.signIn('/login/corp?next=/acme/bert')
    expect([first.status, first.location]).toEqual([303, '/acme/bert'])
    expect(await browser.account()).toBe('ada')
    expect([...browser.hubJar().keys()]).toEqual(['__Host-latchkey'])
    world.corp.people.set('ada-1', { ...ada, preferred_username: 'renamed' })
    expect((await world.browser().signIn()).status).toBe(303)
    const accounts = await world.store.directory.read((tables) =>
      tables.selectFrom('accounts').select('name').execute(),
    )
    expect(accounts).toEqual([{ name: 'ada' }])
    expect(world.logLines.join('')).toContain('"signed_in"')
    expect(world.logLines.join('')).not.toMatch(/lks_\w{49}|code=|eyJ/)
  })

  test('is offered with a button for each provider, and takes no hub token', async () => {
    const page = await (await world.browser().get(`${publicUrl}/login`)).text()
    expect(page).toContain('Sign in with corp')
    expect(page).toContain('Sign in with other')
    const made = (await world.done('account create', { name: 'tokens' })) && undefined
    expect(made).toBeUndefined()
    const { token } = await world.done('hub-token create', {
      account: 'tokens',
      name: 't',
      kind: 'write',
    })
    const answer = await fetch(`${world.hub.url}/login`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ token: String(token) }),
      redirect: 'manual',
    })
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([400, []])
  })

  test('refuses a name that an account or a namespace has, and shows whom to link', async () => {
    await world.done('account create', { name: 'taken' })
    await world.done('namespace create', { name: 'org' })
    for (const name of ['TAKEN', 'Org']) {
      world.corp.people.set('eve-1', { ...ada, preferred_username: name })
      const refused = await world.browser().signIn(undefined, 'eve-1')
      expect([refused.status, refused.session]).toEqual([409, undefined])
      expect(refused.text).toContain(`--issuer ${world.corp.issuer} --subject eve-1`)
    }
  })

  test('shows a command that is safe to paste, whatever the provider calls the person', async () => {
    world.corp.people.set('x; reboot', { ...ada, preferred_username: 'taken' })
    const { text } = await world.browser().signIn(undefined, 'x; reboot')
    expect(text).toContain('--subject &#39;x; reboot&#39;')
  })

  // conformance: Attacks / 73. An attacker uses a sign-in or a session of somebody else
  test('keeps the same subject of two issuers apart', async () => {
    expect((await world.browser().signIn()).status).toBe(303)
    world.other.people.set('ada-1', { ...ada, preferred_username: 'other-ada' })
    const browser = world.browser()
    expect((await browser.signIn('/login/other')).status).toBe(303)
    expect(await browser.account()).toBe('other-ada')
  })

  // conformance: Attacks / 78. An attacker profits from memberships that ended, or from wrong clocks
  test('holds the conditions at every sign-in', async () => {
    expect((await world.browser().signIn()).status).toBe(303)
    for (const groups of [['staff'], [], 'models', undefined]) {
      world.corp.people.set('ada-1', { ...ada, groups })
      const refused = await world.browser().signIn()
      expect([refused.status, refused.session]).toEqual([403, undefined])
    }
    world.other.people.set('ada-1', { ...ada, email_verified: 'true' })
    expect((await world.browser().signIn('/login/other')).status).toBe(403)
  })

  test('of a disabled account is refused', async () => {
    world.corp.people.set('gone-1', { ...ada, preferred_username: 'gone' })
    const browser = world.browser()
    expect((await browser.signIn(undefined, 'gone-1')).status).toBe(303)
    await world.done('account set', { account: 'gone', disabled: true })
    expect(await browser.account()).toBeUndefined()
    expect((await world.browser().signIn(undefined, 'gone-1')).status).toBe(403)
  })

  test('is fresh only where it was asked for, for 15 minutes after the proof', async () => {
    const browser = world.browser()
    await browser.signIn()
    expect(await browser.isFresh()).toBe(false)
    await browser.signIn('/login/corp?fresh=1')
    expect(await browser.isFresh()).toBe(true)
    world.aheadSeconds = 15 * 60
    expect(await browser.isFresh()).toBe(false)
  })

  test('asks the provider for a new proof where it must be fresh', async () => {
    const browser = world.browser()
    await browser.signIn()
    const isForm = (url: string) => url.includes('/interaction/')
    const plain = await browser.follow(
      `${publicUrl}/login/corp`,
      (url) => !url.includes('/callback'),
    )
    expect(isForm(plain.url)).toBe(false)
    const fresh = await browser.follow(
      `${publicUrl}/login/corp?fresh=1`,
      (url) => !url.includes('/callback'),
    )
    expect(isForm(fresh.url)).toBe(true)
  })
})

// conformance: Attacks / 73. An attacker uses a sign-in or a session of somebody else
describe('an attacker', () => {
  const refused = { status: 400, session: undefined }

  test('cannot sign a victim in with a code of its own', async () => {
    const own = await world.browser().upToCallback()
    const victim = world.browser()
    expect(await victim.end(own)).toMatchObject(refused)
    // Not even while the victim signs in itself.
    await victim.upToCallback()
    expect(await victim.end(own)).toMatchObject(refused)
  })

  test.each(['state', 'code', 'iss'])('cannot change or leave out %s', async (name) => {
    for (const value of ['x', undefined]) {
      const browser = world.browser()
      const url = new URL(await browser.upToCallback())
      expect(url.searchParams.get(name)).not.toBeNull()
      if (value === undefined) url.searchParams.delete(name)
      else url.searchParams.set(name, value)
      expect(await browser.end(url.href)).toMatchObject(refused)
    }
  })

  test('cannot bring the response of one provider to another', async () => {
    const browser = world.browser()
    const url = await browser.upToCallback()
    const mixed = url.replace('/login/corp/', '/login/other/')
    expect(await browser.end(mixed)).toMatchObject(refused)
    // The attempt of each provider is sealed for it alone.
    const sealed = browser.hubJar().get('__Host-latchkey-sign-in') ?? ''
    await browser.upToCallback('/login/other')
    browser.hubJar().set('__Host-latchkey-sign-in', sealed)
    const back = await world.browser().upToCallback('/login/other')
    expect(await browser.end(back)).toMatchObject(refused)
  })

  test('cannot use a response twice, nor its cookie', async () => {
    const browser = world.browser()
    const url = await browser.upToCallback()
    const sealed = browser.hubJar().get('__Host-latchkey-sign-in') ?? ''
    expect((await browser.get(url)).status).toBe(303)
    const thief = world.browser()
    thief.hubJar().set('__Host-latchkey-sign-in', sealed)
    expect(await thief.end(url)).toMatchObject(refused)
    // Nor a new code with the old attempt.
    const code = new URL(await world.browser().upToCallback()).searchParams.get('code') ?? ''
    const again = new URL(url)
    again.searchParams.set('code', code)
    thief.hubJar().set('__Host-latchkey-sign-in', sealed)
    expect(await thief.end(again.href)).toMatchObject(refused)
  })

  test('cannot put the code of another sign-in into one that is under way', async () => {
    const victim = world.browser()
    const url = new URL(await victim.upToCallback())
    const code = new URL(await world.browser().upToCallback()).searchParams.get('code') ?? ''
    url.searchParams.set('code', code)
    expect(await victim.end(url.href)).toMatchObject(refused)
  })

  test('cannot alter the cookie of an attempt, nor use it after 10 minutes', async () => {
    const browser = world.browser()
    const url = await browser.upToCallback()
    const jar = browser.hubJar()
    const sealed = jar.get('__Host-latchkey-sign-in') ?? ''
    const changed = (sealed.startsWith('A') ? 'B' : 'A') + sealed.slice(1)
    jar.set('__Host-latchkey-sign-in', changed)
    expect(await browser.end(url)).toMatchObject(refused)
    const late = world.browser()
    const lateUrl = await late.upToCallback()
    world.aheadSeconds = 600
    expect(await late.end(lateUrl)).toMatchObject(refused)
  })

  test('cannot fix the session of a victim', async () => {
    const attacker = world.browser()
    await attacker.signIn()
    const fixed = attacker.hubJar().get('__Host-latchkey') ?? ''
    const victim = world.browser()
    world.corp.people.set('ben-1', { ...ada, preferred_username: 'ben' })
    victim.hubJar().set('__Host-latchkey', fixed)
    const { session } = await victim.signIn(undefined, 'ben-1')
    expect(session).not.toBe(fixed)
    expect(await victim.account()).toBe('ben')
    // The session that was there before has ended.
    expect(await attacker.account()).toBeUndefined()
  })

  test.each(['https://evil.example/', '//evil.example', '/\\evil.example', '/%09/evil.example'])(
    'cannot lead a browser to %s',
    async (next) => {
      const back = await world.browser().signIn(`/login/corp?next=${encodeURIComponent(next)}`)
      expect(back.status).toBe(303)
      expect(new URL(back.location ?? '', publicUrl).origin).toBe(publicUrl)
    },
  )
})

describe('a provider that fails', () => {
  test.each([
    ['is down', 502, (response: import('node:http').ServerResponse) => void response.destroy()],
    ['answers nonsense', 502, (response) => void response.end('<html>')],
    [
      'refuses',
      400,
      (response) =>
        void response
          .writeHead(400, { 'content-type': 'application/json' })
          .end('{"error":"invalid_grant"}'),
    ],
  ] as [string, number, (response: import('node:http').ServerResponse) => void][])(
    'and %s leaves no session and no account',
    async (_, status, answer) => {
      world.corp.people.set('new-1', { ...ada, preferred_username: `new-${status}` })
      const browser = world.browser()
      const url = await browser.upToCallback(undefined, 'new-1')
      world.corp.intercept = (_request, response) => {
        answer(response)
        return true
      }
      const failed = await browser.end(url)
      expect([failed.status, failed.session]).toEqual([status, undefined])
      const made = await world.store.directory.read((tables) =>
        tables.selectFrom('accounts').select('name').where('name', 'like', 'new-%').execute(),
      )
      expect(made).toEqual([])
      expect(world.logLines.join('')).toContain('"sign_in_refused"')
    },
  )
})
