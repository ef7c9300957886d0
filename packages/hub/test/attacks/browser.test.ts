/** Pages of an attacker in the browser of a victim: Chromium holds what the hub tells it, and the hub takes the rest for nothing. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type RunningHub, type Store, startHub } from '@latchkey/hub'
import { systemClock } from '@latchkey/service/machine/time'
import { hasNoBrowser, openBrowser, patienceMs } from '@latchkey/testing/browser/open-browser'
import { testSettings } from '@latchkey/testing/hub/hub-settings'
import { type RunVerb, verbRunner } from '@latchkey/testing/hub/run-verbs'
import { freePort } from '@latchkey/testing/machine/free-port'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { postForm } from '../oauth/sign-in-device.ts'
import { startProvider, type TestProvider, Visitor } from '../sign-in/provider.ts'

if (hasNoBrowser) console.warn('SKIPPED: chromium is not installed, so no page attacks another')

describe.skipIf(hasNoBrowser)('a victim in a browser', () => {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-attacks-'))
  let publicUrl = ''
  let provider: TestProvider
  let hub: RunningHub
  let store: Store
  let done: RunVerb
  let browser: Browser
  /** Of the victim, new for each test. */
  let page: Page
  let attacker: Attacker
  beforeAll(async () => {
    const port = await freePort()
    publicUrl = `http://localhost:${port}`
    provider = await startProvider([`${publicUrl}/login/corp/callback`])
    provider.people.set('ada-1', { preferred_username: 'ada' })
    provider.people.set('eve-1', { preferred_username: 'eve' })
    const clientSecretFile = join(data, 'client-secret')
    writeFileSync(clientSecretFile, provider.clientSecret)
    const { issuer, clientId } = provider
    const corp = {
      ...{ name: 'corp', issuer, clientId, clientSecretFile, scopes: ['openid', 'profile'] },
      ...{ nameClaim: 'preferred_username', groups: [], claims: {} },
    }
    const deviceClients = { hostile: '<img src=x onerror=alert(1)><b>Trusted</b>' }
    const settings = testSettings(data, {
      ...{ port, publicUrl, deviceClients, identity: { providers: [corp] } },
    })
    hub = await startHub(settings, { lines: { write() {}, async close() {} } })
    store = await openStore(settings, { create: false })
    done = verbRunner({ ...store, data }, systemClock)
    attacker = await openAttacker()
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await attacker?.close()
    await hub?.stop()
    await store?.close()
    await provider?.close()
    rmSync(data, { recursive: true, force: true })
  })
  beforeEach(async () => {
    for (const context of browser.contexts()) await context.close()
    const context = await browser.newContext()
    context.setDefaultTimeout(patienceMs)
    page = await context.newPage()
  })

  async function signIn(subject = 'ada-1', start = '/login/corp?fresh=1'): Promise<void> {
    await page.goto(publicUrl + start)
    await page.getByLabel('Account').fill(subject)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { level: 1 }).waitFor()
  }

  const heading = () => page.getByRole('heading', { level: 1 }).textContent()
  const hubCookies = async () => {
    const all = await page.context().cookies(publicUrl)
    return all.filter(({ name }) => name.startsWith('latchkey'))
  }
  const sessionValue = async () =>
    (await hubCookies()).find(({ name }) => name === 'latchkey-session')?.value

  async function markupShown(url: string): Promise<string> {
    const seen = await page.goto(url)
    expect((await seen?.allHeaders())?.['content-security-policy']).toMatch(
      /form-action 'self'; frame-ancestors 'none'$/,
    )
    return page.content()
  }

  /** The page of the attacker does this, and the browser ends up somewhere. */
  async function visitAttacker(
    markup: string,
    isDone: (url: string) => boolean,
    url = attacker.url,
  ): Promise<void> {
    attacker.markup = markup
    await page.goto(url)
    await page.waitForURL((url) => isDone(url.href))
  }

  // conformance: Attacks / 73. An attacker uses a sign-in or a session of somebody else
  test('that opens the callback of an attacker is signed in as nobody, or stays who it was', async () => {
    const own = new Visitor()
    const isBack = (url: string) => url.includes('/callback')
    const form = await own.follow(`${publicUrl}/login/corp`)
    const answered = `${form.url}?account=eve-1`
    const { url } = await own.follow(answered, (one) => !isBack(one))
    expect(url).toContain('code=')
    await visitAttacker(`<meta http-equiv="refresh" content="0; url=${url}">`, isBack)
    expect(await page.getByRole('alert').textContent()).toContain('no sign-in in progress')
    expect(await sessionValue()).toBeUndefined()
    await signIn()
    const session = await sessionValue()
    await page.goto(url)
    expect(await sessionValue()).toBe(session)
    await page.goto(`${publicUrl}/account`)
    expect(await heading()).toBe('ada')
  })

  // conformance: Attacks / 73. An attacker uses a sign-in or a session of somebody else
  test('signs in to a session with a new id, whatever cookie was planted before', async () => {
    await signIn('eve-1')
    const fixed = (await sessionValue()) ?? ''
    await page.context().clearCookies()
    const { hostname: domain } = new URL(publicUrl)
    const planted = { name: 'latchkey-session', domain, value: fixed }
    await page.context().addCookies([{ ...planted, path: '/' }])
    await signIn()
    expect(await sessionValue()).not.toBe(fixed)
    await page.goto(`${publicUrl}/account`)
    expect(await heading()).toBe('ada')
    // Two of one name come from two places: the hub believes neither.
    await page.context().addCookies([{ ...planted, path: '/account' }])
    const seen = await page.request.get(`${publicUrl}/account`, { maxRedirects: 0 })
    expect([seen.status(), seen.headers()['location']]).toEqual([303, '/login?next=%2Faccount'])
  })

  // conformance: Attacks / 73. An attacker uses a sign-in or a session of somebody else
  test('that follows the link of an attacker to sign in ends on the hub', async () => {
    const links = ['//127.0.0.1:9/', '/\\127.0.0.1:9/', 'http://127.0.0.1:9/', '/\t/127.0.0.1:9']
    const [first = '', ...others] = links.map((link) => `next=${encodeURIComponent(link)}`)
    await signIn('ada-1', `/login/corp?${first}`)
    expect(page.url()).toBe(`${publicUrl}/account`)
    // One who is signed in already is led on at once.
    for (const next of [first, ...others]) {
      await page.goto(`${publicUrl}/login?${next}`)
      expect(page.url()).toBe(`${publicUrl}/account`)
    }
  })

  /** A neighbour is of the same site: its pages have the cookies of the hub. */
  const both = () => [attacker.url, attacker.neighbourUrl]

  // conformance: Attacks / 73. An attacker uses a sign-in or a session of somebody else
  test('sends no form of another site that the hub takes', async () => {
    await signIn()
    const csrf = (await page.locator('input[name=csrf]').first().getAttribute('value')) ?? ''
    const session = await sessionValue()
    const fields = Object.entries({ csrf, name: 'stolen', kind: 'write', days: '1', token: 'x' })
    const inputs = fields.map(([name, value]) => `<input name="${name}" value="${value}">`)
    for (const path of ['/logout', '/account/hub-tokens', '/device', '/login']) {
      const action = publicUrl + path
      const form = `<form id="f" method="post" action="${action}">${inputs.join('')}</form>`
      const sends = `${form}<script>document.getElementById('f').submit()</script>`
      for (const from of path === '/logout' ? both() : [attacker.neighbourUrl]) {
        await visitAttacker(sends, (url) => url === action, from)
        expect(await page.textContent('body'), path).toContain('its own pages alone')
        expect(await sessionValue(), path).toBe(session)
      }
    }
    await page.goto(`${publicUrl}/account`)
    expect(await heading()).toBe('ada')
    expect(await page.textContent('main')).not.toContain('stolen')
  })

  // conformance: Attacks / 73. An attacker uses a sign-in or a session of somebody else
  // conformance: Attacks / 79. An attacker makes something lasting from something short-lived
  test('has a session that opens no route of programs, not from a page of the hub either', async () => {
    await signIn()
    const paths = [
      ...['/api/whoami', '/api/whoami-v2', '/account/v1/hub-tokens', '/account/v1/sessions'],
      ...['/admin/v1/accounts', '/admin/v1/changes', '/link/v1/changes'],
      ...['/api/models/ada/x/storage-read-token/main', '/ada/x.git/info/lfs/objects/batch'],
      '/ada/x.git/info/refs?service=git-upload-pack',
    ]
    // The pages of the hub run no script, so the browser asks in their name.
    for (const path of paths) {
      const answer = await page.request.get(publicUrl + path, {
        headers: { 'sec-fetch-site': 'same-origin', origin: publicUrl },
      })
      expect([401, 404], path).toContain(answer.status())
      const seen = await page.goto(publicUrl + path)
      expect([401, 404], path).toContain(seen?.status())
    }
  })

  // conformance: Attacks / 73. An attacker uses a sign-in or a session of somebody else
  test('sees no page of the hub in a frame of another site', async () => {
    await signIn()
    for (const path of ['/account', '/device', '/login?fresh=1']) {
      expect(await markupShown(publicUrl + path), path).toContain('Latchkey hub')
      for (const url of path === '/account' ? both() : [attacker.neighbourUrl]) {
        attacker.markup = `<iframe src="${publicUrl}${path}"></iframe>`
        await page.goto(url)
        const [, frame] = page.frames()
        await expect.poll(() => frame?.url()).toMatch(/^chrome-error:/)
      }
    }
  })

  const startDevice = async (client_id = 'latchkey') => {
    const { json } = await postForm({ hub }, '/oauth/device', { client_id })
    return { code: String(json['device_code']), link: String(json['verification_uri_complete']) }
  }
  const poll = async (device_code: string, client_id = 'latchkey') => {
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
    const form = { client_id, grant_type, device_code }
    return (await postForm({ hub }, '/oauth/token', form)).json
  }
  const press = (name: string) => page.getByRole('button', { name }).click()

  // conformance: Attacks / 74. An attacker has somebody approve a device, or guesses a code
  test('that opens the link of a device gives nothing away without two clicks in a fresh session', async () => {
    const { code, link } = await startDevice()
    await signIn('ada-1', '/login/corp')
    await page.goto(`${link}&decision=approve`)
    // The session is not fresh: the person proves again who it is.
    expect(new URL(page.url()).pathname).toBe('/login')
    await page.getByRole('link', { name: 'Sign in with corp' }).click()
    await page.getByLabel('Account').fill('ada-1')
    await press('Continue')
    await page.getByLabel('Code').waitFor()
    expect(await page.getByLabel('Code').inputValue()).toBe(
      new URL(link).searchParams.get('user_code'),
    )
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
    await press('Continue')
    await page.getByText('If somebody sent you the link or the code, deny.').waitFor()
    expect(await poll(code)).toMatchObject({ error: 'authorization_pending' })
    await press('Approve')
    await page.getByRole('heading', { name: 'Approved' }).waitFor()
  })

  // conformance: Attacks / 74. An attacker has somebody approve a device, or guesses a code
  test('whose account is disabled while the page is open approves nothing', async () => {
    provider.people.set('gone-1', { preferred_username: 'gone' })
    const { code, link } = await startDevice()
    await signIn(
      'gone-1',
      `/login/corp?fresh=1&next=${encodeURIComponent(link.slice(publicUrl.length))}`,
    )
    await press('Continue')
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    await done('account set', { account: 'gone', disabled: true })
    await press('Approve')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await poll(code)).toMatchObject({ error: 'authorization_pending' })
  })

  // conformance: Forge / Text of users never becomes markup of a page
  // conformance: Attacks / 74. An attacker has somebody approve a device, or guesses a code
  test('reads hostile names as text', async () => {
    const { link } = await startDevice('hostile')
    const complaints: string[] = []
    page.on('dialog', (dialog) => complaints.push(dialog.message()))
    await signIn(
      'ada-1',
      `/login/corp?fresh=1&next=${encodeURIComponent(link.slice(publicUrl.length))}`,
    )
    await press('Continue')
    await page.getByText('<img src=x onerror=alert(1)><b>Trusted</b>').waitFor()
    await press('Deny')
    await page.getByRole('heading', { name: 'Denied' }).waitFor()
    expect(await page.textContent('main')).toContain('<b>Trusted</b>')
    // What a provider says is shown too.
    const name = '"><svg onload=alert(2)>'
    provider.people.set('"><i>sub', { preferred_username: name })
    await page.context().clearCookies()
    await page.goto(`${publicUrl}/login/corp`)
    await page.getByLabel('Account').fill('"><i>sub')
    await press('Continue')
    expect(await page.getByRole('alert').textContent()).toContain(`--subject '"><i>sub'`)
    for (const query of ['next="><script>alert(3)</script>', 'fresh="><script>']) {
      await page.goto(`${publicUrl}/login?${query}`)
      await page.goto(`${publicUrl}/device?user_code=${encodeURIComponent(query)}`)
    }
    expect(await page.locator('main img, main svg, main i, main b, script').count()).toBe(0)
    expect(complaints).toEqual([])
  })
})

interface Attacker {
  /** A page of another site. */
  readonly url: string
  /** The same page on another port of the hub's host. */
  readonly neighbourUrl: string
  markup: string
  close(): Promise<void>
}

async function openAttacker(): Promise<Attacker> {
  const server: Server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(
      `<!doctype html><title>Prizes</title><link rel="icon" href="data:,">${attacker.markup}`,
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const attacker: Attacker = {
    url: `http://127.0.0.1:${port}/`,
    neighbourUrl: `http://localhost:${port}/`,
    markup: '',
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return attacker
}
