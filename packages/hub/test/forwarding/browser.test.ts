/** A forge that was taken over answers a browser with whatever it likes, and runs no script on the origin of the hub. */

import { hasNoBrowser, openBrowser, patienceMs } from '@latchkey/testing/browser/open-browser'
import type { RecordedRequest } from '@latchkey/testing/http/recording-upstream'
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStage, type Stage } from './open-stage.ts'

if (hasNoBrowser) console.warn('SKIPPED: chromium is not installed, so no forge attacks a browser')

/** A script that ran leaves the page, which no policy forbids. */
const scriptOf = (name: string) => `document.cookie='evil=1';top.location='/x/ran/${name}'`
const sheet = (name: string) =>
  `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><html><script>${scriptOf(name)}</script></html></xsl:template></xsl:stylesheet>`

interface Trick {
  readonly type?: string
  readonly body: (name: string) => string
  /** Whether it works where a browser asks the forge itself. */
  readonly runsAlone?: true
}

// biome-ignore format: a table is read by its columns
const tricks: Readonly<Record<string, Trick>> = {
  inline:    { type: 'text/html', runsAlone: true, body: (name) => `<script>${scriptOf(name)}</script>` },
  handler:   { type: 'text/html', runsAlone: true, body: (name) => `<img src=x onerror="${scriptOf(name)}">` },
  loaded:    { type: 'text/html', runsAlone: true, body: () => '<script src="/x/script.js"></script>' },
  module:    { type: 'text/html', body: () => '<script type="module" src="/x/script.js"></script>' },
  frame:     { type: 'text/html', runsAlone: true, body: (name) => `<iframe srcdoc="<script>${scriptOf(name)}</script>"></iframe>` },
  object:    { type: 'text/html', body: () => '<object data="/x/svg"></object><embed src="/x/svg">' },
  meta:      { type: 'text/html', body: (name) => `<meta http-equiv="Content-Security-Policy" content="script-src *"><script>${scriptOf(name)}</script>` },
  wasm:      { type: 'application/wasm', body: () => '\0asm' },
  script:    { type: 'text/javascript', body: scriptOf },
  svg:       { type: 'image/svg+xml', runsAlone: true, body: (name) => `<svg xmlns="http://www.w3.org/2000/svg" onload="${scriptOf(name)}"><script>${scriptOf(name)}</script></svg>` },
  xhtml:     { type: 'application/xhtml+xml', runsAlone: true, body: (name) => `<html xmlns="http://www.w3.org/1999/xhtml"><script>${scriptOf(name)}</script></html>` },
  xml:       { type: 'text/xml', body: () => '<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="/x/sheet"?><a/>' },
  sheet:     { type: 'text/xsl', body: sheet },
  untyped:   { body: (name) => `<!doctype html><html><script>${scriptOf(name)}</script></html>` },
  parts:     { type: 'multipart/x-mixed-replace; boundary=b', body: (name) => `--b\r\nContent-Type: text/html\r\nContent-Security-Policy: script-src *\r\n\r\n<script>${scriptOf(name)}</script>\r\n--b--` },
  form:      { type: 'text/html', body: () => '<form method="post" action="/acme/form"><button>Go</button></form>' },
  worker:    { type: 'text/html', body: () => "<script>navigator.serviceWorker.register('/x/script.js',{scope:'/'})</script>" },
}

function trickOf({ url }: RecordedRequest): readonly [name: string, trick: Trick] {
  const name = url.split('/')[2] ?? ''
  if (name === 'script.js') return ['loaded', { type: 'text/javascript', body: scriptOf }]
  return [name, tricks[name] ?? { type: 'text/html', body: () => 'nothing' }]
}

describe.skipIf(hasNoBrowser)('in a browser, a forge that was taken over', () => {
  let stage: Stage
  let browser: Browser
  let context: BrowserContext
  const closing: (() => Promise<void>)[] = []
  beforeAll(async () => {
    stage = await openStage(
      (request, response) => {
        const [name, { type, body }] = trickOf(request)
        response.writeHead(200, [
          ...(type === undefined ? [] : ['Content-Type', type]),
          ...['Content-Security-Policy', "script-src * 'unsafe-inline' 'unsafe-eval'"],
          ...['Set-Cookie', 'evil=1; Path=/', 'Service-Worker-Allowed', '/'],
        ])
        response.end(body(name))
      },
      {},
      (close) => void closing.unshift(close),
    )
    browser = await openBrowser()
    context = await browser.newContext()
    context.setDefaultTimeout(patienceMs)
  })
  afterAll(async () => {
    await browser?.close()
    for (const close of closing) await close()
  })

  const ran = () => stage.forge.requests.filter(({ url }) => url.startsWith('/x/ran/'))

  async function open(origin: string, name: string): Promise<void> {
    const page = await context.newPage()
    // What a browser does not show, it saves.
    await page.goto(`${origin}/x/${name}`).catch(() => {})
    await page.waitForTimeout(100)
    await page.close()
  }

  test('runs no script on the origin of the hub by any type of content, and sets no cookie', async () => {
    for (const name of Object.keys(tricks)) await open(stage.world.hub.url, name)
    expect(ran().map(({ url }) => url)).toEqual([])
    expect(await context.cookies(stage.world.hub.url)).toEqual([])
  })

  test('sends no form to the hub', async () => {
    const page = await context.newPage()
    await page.goto(`${stage.world.hub.url}/x/form`)
    const denied = page.waitForEvent('console', (message) => /form-action/.test(message.text()))
    await page.getByRole('button').dispatchEvent('click')
    await denied
    expect(stage.forge.requests.map(({ method }) => method)).not.toContain('POST')
    await page.close()
  })

  test('would run them on an origin of its own', async () => {
    const alone = Object.keys(tricks).filter((name) => tricks[name]?.runsAlone)
    for (const name of alone) {
      await open(stage.forge.url, name)
      await expect.poll(() => ran().map(({ url }) => url)).toContain(`/x/ran/${name}`)
    }
  })
})
