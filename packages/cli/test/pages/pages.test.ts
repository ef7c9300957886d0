/** The pages of hub and storage in a real browser. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasNoBrowser, openBrowser } from '@latchkey/testing/browser/open-browser'
import { openPage } from '@latchkey/testing/browser/open-page'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { type Both, bothHere } from '../serve-here.ts'
import { isGitThere, makeRepository } from './make-repository.ts'

if (hasNoBrowser) console.warn('SKIPPED: chromium is not installed, so no page of ours is opened')

const directory = JSON.stringify({
  accounts: [{ name: 'ada' }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
  hubTokens: [{ account: 'ada', name: 'laptop', kind: 'write' }],
})

const blocked = /Content Security Policy|Refused to/

describe.skipIf(hasNoBrowser)('opened in a browser', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'latchkey-pages-'))
  const urls = { hub: '', storage: '' }
  let browser: Browser
  let hub: Both
  let token = ''
  beforeAll(async () => {
    const { stdout } = await latchkeyHere(['apply', '-', '--json'], { cwd, input: directory })
    token = JSON.parse(stdout).hubTokens[0].token
    hub = await bothHere(join(cwd, 'latchkey-data'), {}, { forge: true })
    Object.assign(urls, { hub: hub.url, storage: hub.storageUrl })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await hub?.stop()
    rmSync(cwd, { recursive: true, force: true })
  })

  describe.each(['hub', 'storage'] as const)('the page of the %s', (name) => {
    test('says what it is and that it is ready, asks for nothing else, and can be read on a phone, without moving sideways, in light and dark colours with enough contrast', async () => {
      const window = { viewport: { width: 320, height: 640 } }
      const { page, addresses, said } = await openPage(browser, urls[name], { window })
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(`Latchkey ${name}`)
      expect(await page.title()).toBe(`Latchkey ${name}`)
      expect(await page.getByRole('main').textContent()).toContain('Ready.')
      expect(addresses.filter((address) => !address.startsWith('data:'))).toEqual([
        `${urls[name]}/`,
      ])
      expect(said).toEqual([])
      const wide = await page.evaluate('document.documentElement.scrollWidth')
      expect(wide).toBeLessThanOrEqual(320)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        const [paper = 0, ...inks] = await lightnessOf(page)
        expect(colorScheme === 'dark' ? paper < 0.1 : paper > 0.9).toBe(true)
        expect(inks).not.toEqual([])
        for (const ink of inks) {
          const [light, dark] = ink > paper ? [ink, paper] : [paper, ink]
          // WCAG 2.2, 1.4.3
          expect((light + 0.05) / (dark + 0.05)).toBeGreaterThan(4.5)
        }
      }
    })

    // conformance: Operation / The page at / shows little and runs no script
    test('runs no script and sends nothing, whatever gets into it', async () => {
      const { page } = await openPage(browser, urls[name], { expected: blocked })
      expect(await smuggle(page)).toEqual({
        ran: [],
        blocked: ['script-src-elem', 'script-src-attr', 'connect-src', 'img-src', 'form-action'],
      })
    })
  })

  test('every link of the page of the hub leads to a document', async () => {
    const asked = await fetch(urls.hub, { headers: { accept: 'text/html' } })
    const text = await asked.text()
    const links = Array.from(text.matchAll(/<a [^>]*href="([^"]+)"/g), ([, href = '']) => href)
    expect(links.length).toBeGreaterThan(1)
    for (const href of links) {
      expect((await fetch(new URL(href, urls.hub))).status, href).toBe(200)
    }
  })

  test.skipIf(!isGitThere)(
    'a private repository is shown after a login, and its hostile README runs and loads nothing',
    async () => {
      await makeRepository(urls.hub, token, 'acme/first')
      const window = { viewport: { width: 320, height: 640 }, colorScheme: 'dark' } as const
      const address = `${urls.hub}/acme/first`
      const { page, addresses, said } = await openPage(browser, address, {
        ...{ window, expected: /status of 401/ },
      })
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('hub token')
      await page.getByRole('main').getByRole('link', { name: 'Log in' }).click()
      await page.getByLabel('Hub token').fill(token)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL(address)

      expect(await page.getByRole('link', { name: 'Logged in as ada' }).count()).toBe(1)
      expect(await page.getByRole('row', { name: 'README.md' }).textContent()).toMatch(/bytes$/)
      expect(await page.getByRole('row', { name: 'data/' }).count()).toBe(1)
      expect(await page.getByRole('heading', { name: 'A card' }).count()).toBe(1)
      const main = (await page.getByRole('main').textContent()) ?? ''
      expect(main).toContain(`git clone ${address}`)
      expect(main).toContain(`HF_ENDPOINT=${urls.hub}`)
      expect(await pageFacts(page)).toEqual({
        ...{ ran: 'nothing', loaded: 0, cookie: '', protocols: ['http:', 'https:'], width: 320 },
      })
      expect(new Set(addresses.filter((one) => !one.startsWith('data:')))).toEqual(
        new Set([address, `${urls.hub}/login?next=%2Facme%2Ffirst`, `${urls.hub}/login`]),
      )
      expect(said).toEqual([expect.stringContaining('401')])

      await page.getByRole('link', { name: 'data/' }).click()
      await page.getByRole('link', { name: 'a.html' }).click()
      const downloading = page.waitForEvent('download')
      await page.getByRole('link', { name: 'Download' }).click()
      expect((await downloading).suggestedFilename()).toBe('a.html')

      await page.getByRole('link', { name: 'Logged in as ada' }).click()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByLabel('Hub token').waitFor()
      expect((await page.goto(address))?.status()).toBe(401)
    },
  )
})

/** What of a page could run or load something, and where its links lead. */
function pageFacts(page: Page): Promise<unknown> {
  return page.evaluate(`({
    ran: globalThis.ran ?? 'nothing',
    loaded: document.querySelectorAll('script, img, iframe, object, embed, link[rel=stylesheet], [onerror], [onclick]').length,
    cookie: document.cookie,
    protocols: [...new Set([...document.links].map((link) => link.protocol))].sort(),
    width: document.documentElement.scrollWidth,
  })`)
}

/** Puts into the page what an attacker would, and tells what of it ran and what the browser stopped. */
function smuggle(page: Page): Promise<unknown> {
  return page.evaluate(`(async () => {
    const ran = []
    const blocked = []
    globalThis.ran = (what) => ran.push(what)
    document.addEventListener('securitypolicyviolation', (event) => blocked.push(event.effectiveDirective))
    const script = document.createElement('script')
    script.textContent = 'ran("script")'
    document.body.append(script)
    const button = document.createElement('button')
    button.setAttribute('onclick', 'ran("handler")')
    document.body.append(button)
    button.click()
    await fetch('/readyz').then(() => ran.push('fetch'), () => {})
    const image = document.createElement('img')
    const answered = new Promise((done) => { image.onerror = done; image.onload = () => done(ran.push('image')) })
    image.src = '/readyz'
    await answered
    const form = document.createElement('form')
    form.action = '/elsewhere'
    document.body.append(form)
    form.submit()
    for (let turns = 0; blocked.length < 5 && turns < 1000; turns += 1) {
      await new Promise((done) => setTimeout(done, 10))
    }
    return { ran, blocked }
  })()`)
}

/** Relative luminance (WCAG 2.2) of the paper, then of every colour of text on it. */
function lightnessOf(page: Page): Promise<number[]> {
  return page.evaluate(`(() => {
    const lightness = (color) => {
      const [red, green, blue] = color.match(/[\\d.]+/g).map((part) => {
        const share = part / 255
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
    const texts = [...document.querySelectorAll('h1, h2, p, li, a, code, strong')]
    const paper = getComputedStyle(document.body).backgroundColor
    return [paper, ...texts.map((text) => getComputedStyle(text).color)].map(lightness)
  })()`)
}
