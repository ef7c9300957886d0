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

  beforeAll(async () => {
    stage = await openStage()
    stage.storage.objects.set(path, Buffer.from(text))
    browser = await openBrowser()
  })
  afterAll(async () => {
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

  /** An empty page, and what a client in it is made of. */
  const openEmpty = async (
    { origin = stage.origins.listed, ...visit }: Visit & { readonly origin?: string } = {},
    who = 'writer/write',
  ) => {
    const { page } = await openPage(browser, `${origin}/empty`, visit)
    const { url: hubUrl } = stage.world.hub
    return {
      page,
      options: { hubUrl, hubToken: hubToken(stage.world, who), repo: 'models/acme/bert' },
    }
  }

  test('on an origin that nobody lists gets no token', async () => {
    const before = stage.issued()
    const { page } = await readInExample(stage.origins.stranger, { ...hurried, expected: blocked })
    expect(await statusAfterPatience(page)).toContain('hub_unreachable')
    expect(stage.issued()).toBe(before)
  })

  test('on an origin that the gate does not list reads nothing of the storage', async () => {
    const before = stage.storage.reached.length
    const half = stage.origins.halfListed
    const { page } = await readInExample(half, { ...hurried, expected: blocked })
    expect(await statusAfterPatience(page)).toContain('storage_unreachable')
    expect(stage.storage.reached).toHaveLength(before)
  })

  /** What a page is told that fails at once. */
  const failureAt = async (origin: string, hubUrl = stage.world.hub.url) => {
    const { page, options } = await openEmpty({ origin, expected: blocked })
    if (hubUrl === origin) await page.route('**/api/**', (route) => route.abort())
    const impatient = { ...options, hubUrl, giveUpAfterSeconds: 0, allowPlainHttp: true }
    return page.evaluate(
      async ({ impatient, path }) => {
        const client = latchkey.createStorageClient(impatient)
        return client.fetch(path).catch((error) => error.message)
      },
      { impatient, path },
    )
  }

  test('is told that CORS may be why it reaches neither hub nor storage, and which option allows it', async () => {
    const { stranger, halfListed } = stage.origins
    const why = (origin: string) =>
      `, or refuses pages of ${origin} (CORS): its operator allows them with --cors-origins.`
    expect(await failureAt(stranger)).toBe(
      `The hub ${stage.world.hub.url} cannot be reached${why(stranger)}`,
    )
    const { origin } = new URL(stage.world.settings.casUrl)
    expect(await failureAt(halfListed)).toBe(
      `The storage ${origin} cannot be reached${why(halfListed)}`,
    )
  })

  test('of the same origin is not told of CORS when nothing answers', async () => {
    const { listed } = stage.origins
    expect(await failureAt(listed, listed)).toBe(`The hub ${listed} cannot be reached.`)
  })

  test('follows no redirect with a token', async () => {
    stage.storage.moved.set('/v1/chunks/default/moved', path)
    const before = stage.storage.reached.length
    const { page, options } = await openEmpty()
    const code = await page.evaluate(async (options) => {
      const client = latchkey.createStorageClient(options)
      return client.fetch('/v1/chunks/default/moved').catch((error) => error.code)
    }, options)
    expect(code).toBe('redirected')
    expect(stage.storage.reached.slice(before)).toEqual(['GET /v1/chunks/default/moved'])
  })

  test('is told which refusal it was, in words and with the number of the request', async () => {
    const { page, options } = await openEmpty({ expected: /status of 403/ }, 'reader/write')
    const told = await page.evaluate(async (options) => {
      const client = latchkey.createStorageClient(options)
      return client.token('write').catch(({ code, status, requestId, message }) => {
        return { code, status, requestId, message }
      })
    }, options)
    expect(told).toEqual({
      code: 'permission_denied',
      status: 403,
      requestId: expect.stringMatching(/^\w+$/),
      message: expect.stringMatching(/write/),
    })
  })

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
    const { page, options } = await openEmpty({ before: (page) => page.clock.install({ time }) })
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
    const { page, options } = await openEmpty()
    const told = await page.evaluate(async (options) => {
      const client = latchkey.createStorageClient(options)
      const body = new Blob(['bytes '.repeat(50_000)], { type: 'application/octet-stream' })
      const progress: unknown[] = []
      const onUploadProgress = (...told: unknown[]) => progress.push(told)
      const init = { method: 'POST', body, onUploadProgress }
      const { status } = await client.fetch('/v1/xorbs/default/abc', init)
      return { status, first: progress.at(0), last: progress.at(-1) }
    }, options)
    expect(told).toEqual({ status: 201, first: [0, 300_000], last: [300_000, 300_000] })
    const stored = stage.storage.objects.get('/v1/xorbs/default/abc')
    expect(stored?.toString()).toBe('bytes '.repeat(50_000))
  })
})

/** The example gives up after five seconds, so a longer timer is no pause of its. */
const longestPauseMs = 5000

/** A page whose clock moves by the client's pauses alone: no deadline passes, however slow the machine. */
const hurried: Visit = {
  async before(page) {
    await page.addInitScript((longestPauseMs) => {
      const { setTimeout: soon } = globalThis
      let passedMs = 0
      performance.now = () => passedMs
      const setTimeout = (act: () => void, ms: number) => {
        if (ms > longestPauseMs) return 0
        return soon(() => {
          passedMs += ms
          act()
        }, 0)
      }
      Object.assign(globalThis, { setTimeout })
    }, longestPauseMs)
  },
}

/** What the example says when its patience has run out. */
async function statusAfterPatience(page: Page): Promise<string | null> {
  await page.getByRole('button', { disabled: false }).waitFor()
  return page.getByRole('status').textContent()
}
