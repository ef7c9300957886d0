/** Sign-in by a real OpenID provider, and the attacks on it. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type RunningHub, type Store, startHub } from '@latchkey/hub'
import { unixSeconds } from '@latchkey/protocol'
import { testSettings } from '@latchkey/testing/hub/hub-settings'
import { verbRunner } from '@latchkey/testing/hub/run-verbs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startProvider, type TestProvider, Visitor } from './provider.ts'

const publicUrl = 'https://hub.example'

let hub: RunningHub
let store: Store
let corp: TestProvider
let other: TestProvider
let data: string
const logLines: string[] = []
let aheadSeconds = 0
const clock = () => unixSeconds(Math.floor(Date.now() / 1000) + aheadSeconds)
const run = () => verbRunner({ ...store, data }, clock)

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'latchkey-sign-in-'))
  const callback = (name: string) => `${publicUrl}/login/${name}/callback`
  corp = await startProvider([callback('corp')])
  other = await startProvider([callback('other')])
  const clientSecretFile = join(data, 'client-secret')
  writeFileSync(clientSecretFile, `${corp.clientSecret}\n`)
  const common = {
    clientSecretFile,
    scopes: ['openid', 'profile'],
    nameClaim: 'preferred_username',
  }
  const settings = testSettings(data, {
    identity: {
      providers: [
        {
          ...{ ...common, name: 'corp', issuer: corp.issuer, clientId: corp.clientId },
          ...{ groupsClaim: 'groups', groups: ['models'], claims: {} },
        },
        {
          ...{ ...common, name: 'other', issuer: other.issuer, clientId: other.clientId },
          ...{ groups: [], claims: { email_verified: true } },
        },
      ],
    },
  })
  hub = await startHub(settings, {
    clock,
    lines: { write: (line) => logLines.push(line), async close() {} },
  })
  store = await openStore(settings, { create: false })
})
afterAll(async () => {
  await hub?.stop()
  await store?.close()
  await corp?.close()
  await other?.close()
  rmSync(data, { recursive: true, force: true })
})

const ada = { preferred_username: 'ada', groups: ['models', 'staff'], email_verified: true }
beforeEach(() => {
  aheadSeconds = 0
  logLines.length = 0
  for (const provider of [corp, other]) {
    provider.people.clear()
    provider.people.set('ada-1', ada)
    provider.intercept = undefined
  }
})

/** Its requests to the public address of the hub reach the hub. */
class Browser extends Visitor {
  override get(url: string): Promise<Response> {
    return super.get(url.replace(publicUrl, hub.url))
  }

  /** The cookies of the hub. */
  hubJar(): Map<string, string> {
    return this.jar(hub.url)
  }
}

/** To the form of the provider, through it, and up to the way back, which is not opened. */
async function upToCallback(browser: Browser, start = '/login/corp', subject = 'ada-1') {
  const isBack = (url: string) => url.includes('/callback')
  const form = await browser.follow(`${publicUrl}${start}`, (url) => !isBack(url))
  if (isBack(form.url)) return form.url
  const { url } = await browser.follow(`${form.url}?account=${subject}`, (one) => !isBack(one))
  expect(url).toContain('/callback?')
  return url
}

async function signIn(browser: Browser, start?: string, subject?: string) {
  const url = await upToCallback(browser, start, subject)
  return end(await browser.get(url), browser)
}

async function end(answer: Response, browser: Browser) {
  return {
    status: answer.status,
    location: answer.headers.get('location'),
    text: await answer.text(),
    session: browser.hubJar().get('__Host-latchkey'),
  }
}

async function accountOf(browser: Browser): Promise<string | undefined> {
  const answer = await browser.get(`${publicUrl}/account`)
  return /Signed in as ([\w-]+)/.exec(await answer.text())?.[1]
}

describe('a sign-in by a provider', () => {
  test('opens a session, makes the account once, and finds it by issuer and subject', async () => {
    const browser = new Browser()
    const first = await signIn(browser, '/login/corp?next=/acme/bert')
    expect([first.status, first.location]).toEqual([303, '/acme/bert'])
    expect(await accountOf(browser)).toBe('ada')
    expect([...browser.hubJar().keys()]).toEqual(['__Host-latchkey'])
    corp.people.set('ada-1', { ...ada, preferred_username: 'renamed' })
    expect((await signIn(new Browser())).status).toBe(303)
    const accounts = await store.directory.read((tables) =>
      tables.selectFrom('accounts').select('name').execute(),
    )
    expect(accounts).toEqual([{ name: 'ada' }])
    expect(logLines.join('')).toContain('"signed_in"')
    expect(logLines.join('')).not.toMatch(/lks_\w{49}|code=|eyJ/)
  })

  test('is offered with a button for each provider, and takes no hub token', async () => {
    const page = await (await new Browser().get(`${publicUrl}/login`)).text()
    expect(page).toContain('Sign in with corp')
    expect(page).toContain('Sign in with other')
    const made = (await run()('account create', { name: 'tokens' })) && undefined
    expect(made).toBeUndefined()
    const { token } = await run()('hub-token create', {
      account: 'tokens',
      name: 't',
      kind: 'write',
    })
    const answer = await fetch(`${hub.url}/login`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ token: String(token) }),
      redirect: 'manual',
    })
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([400, []])
  })

  test('refuses a name that an account or a namespace has, and shows whom to link', async () => {
    await run()('account create', { name: 'taken' })
    await run()('namespace create', { name: 'org' })
    for (const name of ['TAKEN', 'Org']) {
      corp.people.set('eve-1', { ...ada, preferred_username: name })
      const refused = await signIn(new Browser(), undefined, 'eve-1')
      expect([refused.status, refused.session]).toEqual([409, undefined])
      expect(refused.text).toContain(`--issuer ${corp.issuer} --subject eve-1`)
    }
  })

  test('keeps the same subject of two issuers apart', async () => {
    other.people.set('ada-1', { ...ada, preferred_username: 'other-ada' })
    const browser = new Browser()
    expect((await signIn(browser, '/login/other')).status).toBe(303)
    expect(await accountOf(browser)).toBe('other-ada')
  })

  test('holds the conditions at every sign-in', async () => {
    expect((await signIn(new Browser())).status).toBe(303)
    for (const groups of [['staff'], [], 'models', undefined]) {
      corp.people.set('ada-1', { ...ada, groups })
      const refused = await signIn(new Browser())
      expect([refused.status, refused.session]).toEqual([403, undefined])
    }
    other.people.set('ada-1', { ...ada, email_verified: 'true' })
    expect((await signIn(new Browser(), '/login/other')).status).toBe(403)
  })

  test('of a disabled account is refused', async () => {
    corp.people.set('gone-1', { ...ada, preferred_username: 'gone' })
    const browser = new Browser()
    expect((await signIn(browser, undefined, 'gone-1')).status).toBe(303)
    await run()('account set', { account: 'gone', disabled: true })
    expect(await accountOf(browser)).toBeUndefined()
    expect((await signIn(new Browser(), undefined, 'gone-1')).status).toBe(403)
  })

  test('is fresh only where it was asked for, for 15 minutes after the proof', async () => {
    const isFresh = async (browser: Browser) =>
      (await (await browser.get(`${publicUrl}/account`)).text()).includes('name="days"')
    const browser = new Browser()
    await signIn(browser)
    expect(await isFresh(browser)).toBe(false)
    await signIn(browser, '/login/corp?fresh=1')
    expect(await isFresh(browser)).toBe(true)
    aheadSeconds = 15 * 60
    expect(await isFresh(browser)).toBe(false)
  })

  test('asks the provider for a new proof where it must be fresh', async () => {
    const browser = new Browser()
    await signIn(browser)
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

describe('an attacker', () => {
  const refused = { status: 400, session: undefined }

  test('cannot sign a victim in with a code of its own', async () => {
    const own = await upToCallback(new Browser())
    const victim = new Browser()
    expect(await end(await victim.get(own), victim)).toMatchObject(refused)
    // Not even while the victim signs in itself.
    await upToCallback(victim)
    expect(await end(await victim.get(own), victim)).toMatchObject(refused)
  })

  test.each(['state', 'code', 'iss'])('cannot change or leave out %s', async (name) => {
    for (const value of ['x', undefined]) {
      const browser = new Browser()
      const url = new URL(await upToCallback(browser))
      expect(url.searchParams.get(name)).not.toBeNull()
      if (value === undefined) url.searchParams.delete(name)
      else url.searchParams.set(name, value)
      expect(await end(await browser.get(url.href), browser)).toMatchObject(refused)
    }
  })

  test('cannot bring the response of one provider to another', async () => {
    const browser = new Browser()
    const url = await upToCallback(browser)
    const mixed = url.replace('/login/corp/', '/login/other/')
    expect(await end(await browser.get(mixed), browser)).toMatchObject(refused)
    // The attempt of each provider is sealed for it alone.
    const sealed = browser.hubJar().get('__Host-latchkey-sign-in') ?? ''
    await upToCallback(browser, '/login/other')
    browser.hubJar().set('__Host-latchkey-sign-in', sealed)
    const back = await upToCallback(new Browser(), '/login/other')
    expect(await end(await browser.get(back), browser)).toMatchObject(refused)
  })

  test('cannot use a response twice, nor its cookie', async () => {
    const browser = new Browser()
    const url = await upToCallback(browser)
    const sealed = browser.hubJar().get('__Host-latchkey-sign-in') ?? ''
    expect((await browser.get(url)).status).toBe(303)
    const thief = new Browser()
    thief.hubJar().set('__Host-latchkey-sign-in', sealed)
    expect(await end(await thief.get(url), thief)).toMatchObject(refused)
    // Nor a new code with the old attempt.
    const code = new URL(await upToCallback(new Browser())).searchParams.get('code') ?? ''
    const again = new URL(url)
    again.searchParams.set('code', code)
    thief.hubJar().set('__Host-latchkey-sign-in', sealed)
    expect(await end(await thief.get(again.href), thief)).toMatchObject(refused)
  })

  test('cannot put the code of another sign-in into one that is under way', async () => {
    const victim = new Browser()
    const url = new URL(await upToCallback(victim))
    const code = new URL(await upToCallback(new Browser())).searchParams.get('code') ?? ''
    url.searchParams.set('code', code)
    expect(await end(await victim.get(url.href), victim)).toMatchObject(refused)
  })

  test('cannot alter the cookie of an attempt, nor use it after 10 minutes', async () => {
    const browser = new Browser()
    const url = await upToCallback(browser)
    const jar = browser.hubJar()
    const sealed = jar.get('__Host-latchkey-sign-in') ?? ''
    const changed = (sealed.startsWith('A') ? 'B' : 'A') + sealed.slice(1)
    jar.set('__Host-latchkey-sign-in', changed)
    expect(await end(await browser.get(url), browser)).toMatchObject(refused)
    const late = new Browser()
    const lateUrl = await upToCallback(late)
    aheadSeconds = 600
    expect(await end(await late.get(lateUrl), late)).toMatchObject(refused)
  })

  test('cannot fix the session of a victim', async () => {
    const attacker = new Browser()
    await signIn(attacker)
    const fixed = attacker.hubJar().get('__Host-latchkey') ?? ''
    const victim = new Browser()
    corp.people.set('ben-1', { ...ada, preferred_username: 'ben' })
    victim.hubJar().set('__Host-latchkey', fixed)
    const { session } = await signIn(victim, undefined, 'ben-1')
    expect(session).not.toBe(fixed)
    expect(await accountOf(victim)).toBe('ben')
    // The session that was there before has ended.
    expect(await accountOf(attacker)).toBeUndefined()
  })

  test.each(['https://evil.example/', '//evil.example', '/\\evil.example', '/%09/evil.example'])(
    'cannot lead a browser to %s',
    async (next) => {
      const back = await signIn(new Browser(), `/login/corp?next=${encodeURIComponent(next)}`)
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
      corp.people.set('new-1', { ...ada, preferred_username: `new-${status}` })
      const browser = new Browser()
      const url = await upToCallback(browser, undefined, 'new-1')
      corp.intercept = (_request, response) => {
        answer(response)
        return true
      }
      const failed = await end(await browser.get(url), browser)
      expect([failed.status, failed.session]).toEqual([status, undefined])
      const made = await store.directory.read((tables) =>
        tables.selectFrom('accounts').select('name').where('name', 'like', 'new-%').execute(),
      )
      expect(made).toEqual([])
      expect(logLines.join('')).toContain('"sign_in_refused"')
    },
  )
})
