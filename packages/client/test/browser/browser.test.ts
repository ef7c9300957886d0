import type * as client from '@latchkey/client'
import { hasNoBrowser, openBrowser } from '@latchkey/testing/browser/open-browser'
import { openPage, type Visit } from '@latchkey/testing/browser/open-page'
import { rounds } from '@latchkey/testing/chance'
import { hubToken } from '@latchkey/testing/hub/ask'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lifetimeSeconds, openStage, type Stage } from './stage.ts'

/** In the page; the functions given to `evaluate` see nothing else of this file. */
declare const latchkey: typeof client

const path = '/v1/chunks/default/abc'
const text = 'Zwölf Boxkämpfer\n'.repeat(5000)

/** How the browser says that an answer is not for this page. */
const blocked = /blocked by CORS policy|net::ERR_FAILED/

if (hasNoBrowser) console.warn('SKIPPED: chromium is not installed, so no page uses the client')

describe.skipIf(hasNoBrowser)('a page in a browser', () => {
  let stage: Stage
  let browser: Browser
  /** Empty and on the listed origin, for all tests that need no more: a browser takes its time to open one. */
  let listed: Page
  let closeListed: (() => Promise<void>) | undefined

  beforeAll(async () => {
    stage = await openStage()
    stage.storage.objects.set(path, Buffer.from(text))
    browser = await openBrowser()
    listed = await openEmpty({
      expected: /status of 403|net::ERR_FAILED/,
      atEnd(close) {
        closeListed = close
      },
    })
  })
  afterAll(async () => {
    await closeListed?.()
    await browser?.close()
    await stage?.close()
  })

  /** The example, filled in and sent off. */
  const readInExample = async (origin: string, visit: Visit = {}) => {
    const watched = await openPage(browser, origin, visit)
    const { page } = watched
    await page.getByLabel('Hub', { exact: true }).fill(stage.world.hub.url)
    await page.getByLabel('Hub token').fill(hubToken(stage.world, 'reader/write'))
    await page.getByLabel('Repository').fill('models/acme/bert')
    await page.getByLabel('Path').fill(path)
    await page.getByRole('button', { name: 'Read' }).click()
    return watched
  }

  const openEmpty = async (visit: Visit) =>
    (await openPage(browser, `${stage.origins.listed}/empty`, visit)).page

  /** What a client in a page is made of. */
  const optionsOf = (who = 'writer/write') => ({
    hubUrl: stage.world.hub.url,
    hubToken: hubToken(stage.world, who),
    repo: 'models/acme/bert',
  })

  /** What a page is told that fails at once. */
  const failureIn = (page: Page, hubUrl = stage.world.hub.url) => {
    const impatient = { ...optionsOf(), hubUrl, retryTimeoutSeconds: 0, allowPlainHttp: true }
    return page.evaluate(
      async ({ impatient, path, bundle }) => {
        const { createStorageClient }: typeof latchkey = await import(bundle)
        const client = createStorageClient(impatient)
        return client.fetch(path).catch((error) => error.message)
      },
      { impatient, path, bundle: '/latchkey-client.js' },
    )
  }
  const corsMayBeWhy = (origin: string) =>
    `, or refuses pages of ${origin} (CORS): its operator allows them with --cors-origins.`

  // conformance: Client / An error in a page names CORS as a possible cause
  test('on an origin that nobody lists gets no token, and is told that CORS may be why, and which option allows it', async () => {
    const before = stage.issued()
    const { stranger } = stage.origins
    const { page } = await readInExample(stranger, { ...hurried, expected: blocked })
    expect(await statusAfterPatience(page)).toContain('hub_unreachable')
    expect(await failureIn(page)).toBe(
      `The hub ${stage.world.hub.url} cannot be reached${corsMayBeWhy(stranger)}`,
    )
    expect(stage.issued()).toBe(before)
  })

  // conformance: Client / An error in a page names CORS as a possible cause
  test('on an origin that the gate does not list reads nothing of the storage, and is told the same of it', async () => {
    const before = stage.storage.reached.length
    const { halfListed } = stage.origins
    const { page } = await readInExample(halfListed, { ...hurried, expected: blocked })
    expect(await statusAfterPatience(page)).toContain('storage_unreachable')
    const { origin } = new URL(stage.world.settings.casUrl)
    expect(await failureIn(page)).toBe(
      `The storage ${origin} cannot be reached${corsMayBeWhy(halfListed)}`,
    )
    expect(stage.storage.reached).toHaveLength(before)
  })

  test('of the same origin is not told of CORS when nothing answers', async () => {
    const { listed: origin } = stage.origins
    const api = `${origin}/api/**`
    await listed.route(api, (route) => route.abort())
    expect(await failureIn(listed, origin)).toBe(`The hub ${origin} cannot be reached.`)
    await listed.unroute(api)
  })

  test('follows no redirect with a token', async () => {
    stage.storage.moved.set('/v1/chunks/default/moved', path)
    const before = stage.storage.reached.length
    const code = await listed.evaluate(async (options) => {
      const client = latchkey.createStorageClient(options)
      return client.fetch('/v1/chunks/default/moved').catch((error) => error.code)
    }, optionsOf())
    expect(code).toBe('redirected')
    expect(stage.storage.reached.slice(before)).toEqual(['GET /v1/chunks/default/moved'])
  })

  test('is told which refusal it was, in words and with the number of the request', async () => {
    const told = await listed.evaluate(async (options) => {
      const client = latchkey.createStorageClient(options)
      return client.token('write').catch(({ code, status, requestId, message }) => {
        return { code, status, requestId, message }
      })
    }, optionsOf('reader/write'))
    expect(told).toEqual({
      code: 'permission_denied',
      status: 403,
      requestId: expect.stringMatching(/^\w+$/),
      message: expect.stringMatching(/write/),
    })
  })

  // conformance: Client / The client runs in Node 20, browsers, Deno and Bun
  test('a page on another origin gets a token and reads through the gate, and shows neither token in the document, the console, an address or a store', async () => {
    const { page, credentials, addresses, said } = await readInExample(stage.origins.listed)
    await page.getByText('Read.').waitFor()
    expect(await page.locator('pre').textContent()).toBe(text)
    const bar = page.getByRole('progressbar')
    const size = String(Buffer.byteLength(text))
    expect([await bar.getAttribute('value'), await bar.getAttribute('max')]).toEqual([size, size])

    const tokens = new Set(credentials.map((credential) => credential.replace('Bearer ', '')))
    expect([...tokens]).toEqual([
      hubToken(stage.world, 'reader/write'),
      expect.stringMatching(/^eyJ/),
    ])
    const kept = await page.evaluate(
      'JSON.stringify([history.state, localStorage, sessionStorage])',
    )
    const cookies = await page.context().cookies()
    const shown = [page.url(), await page.content(), kept, JSON.stringify(cookies)]
    const everything = [...shown, ...addresses, ...said].join('\n')
    for (const token of tokens) expect(everything).not.toContain(token)
  })

  // In Node both are tried in every run.
  test.each(
    [
      ['ahead', 10],
      ['behind', -10],
    ].slice(0, rounds(1, 2)) as [string, number][],
  )('asks at the right moment with a clock that is %s', async (_, minutes) => {
    const time = Date.now() + minutes * 60_000
    const page = await openEmpty({ before: (page) => page.clock.install({ time }) })
    const options = optionsOf()
    const before = stage.issued()
    const read = () =>
      page.evaluate(
        async ({ options, path }) => {
          const page = globalThis as { client?: client.StorageClient }
          page.client ??= latchkey.createStorageClient(options)
          return (await page.client.fetch(path)).status
        },
        { options, path },
      )
    expect([await read(), await read()]).toEqual([200, 200])
    expect(stage.issued() - before).toBe(1)

    await page.clock.fastForward((lifetimeSeconds - 25) * 1000)
    expect(await read()).toBe(200)
    expect(stage.issued() - before).toBe(2)
  })

  test('uploads a Blob whole and tells when it has arrived', async () => {
    const told = await listed.evaluate(async (options) => {
      const client = latchkey.createStorageClient(options)
      const body = new Blob(['bytes '.repeat(50_000)], { type: 'application/octet-stream' })
      const progress: unknown[] = []
      const onUploadProgress = (...told: unknown[]) => progress.push(told)
      const init = { method: 'POST', body, onUploadProgress }
      const { status } = await client.fetch('/v1/xorbs/default/abc', init)
      return { status, first: progress.at(0), last: progress.at(-1) }
    }, optionsOf())
    expect(told).toEqual({ status: 201, first: [0, 300_000], last: [300_000, 300_000] })
    const stored = stage.storage.objects.get('/v1/xorbs/default/abc')
    expect(stored?.toString()).toBe('bytes '.repeat(50_000))
  })
})

/** The example gives up after five seconds, so a longer timer is no pause of its. */
const maxPauseMs = 5000

/** A page whose clock moves by the client's pauses alone: no deadline passes, however slow the machine. */
const hurried: Visit = {
  async before(page) {
    await page.addInitScript((maxPauseMs) => {
      const { setTimeout: soon } = globalThis
      let passedMs = 0
      performance.now = () => passedMs
      const setTimeout = (act: () => void, ms: number) => {
        if (ms > maxPauseMs) return 0
        return soon(() => {
          passedMs += ms
          act()
        }, 0)
      }
      Object.assign(globalThis, { setTimeout })
    }, maxPauseMs)
  },
}

/** What the example says when its patience has run out. */
async function statusAfterPatience(page: Page): Promise<string | null> {
  await page.getByRole('button', { disabled: false }).waitFor()
  return page.getByRole('status').textContent()
}
