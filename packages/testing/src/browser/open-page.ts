/** A page in a real browser, watched: whatever it complains about fails the test. */

import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { patienceMs } from './open-browser.ts'

export interface WatchedPage {
  readonly page: Page
  /** Everything in its console, and every uncaught error. */
  readonly said: readonly string[]
  /** Every address that it asked for. */
  readonly addresses: readonly string[]
  /** Every Authorization header that it sent. */
  readonly credentials: readonly string[]
}

export interface Visit {
  /** The window: its size, its colours. */
  readonly window?: BrowserContextOptions
  /** What this page is expected to complain about. */
  readonly expected?: RegExp
  /** Done before any script of the page runs. */
  readonly before?: (page: Page) => Promise<void>
  /** When the page is closed and its complaints are judged: at the end of the test, unless told otherwise. */
  readonly atEnd?: (close: () => Promise<void>) => void
}

export async function openPage(
  browser: Browser,
  url: string,
  { window = {}, expected, before, atEnd = onTestFinished }: Visit = {},
): Promise<WatchedPage> {
  const context = await browser.newContext(window)
  context.setDefaultTimeout(patienceMs)
  const page = await context.newPage()
  const watched = {
    page,
    said: [] as string[],
    addresses: [] as string[],
    credentials: [] as string[],
  }
  const complaints: string[] = []
  const hear = (text: string, isComplaint: boolean) => {
    watched.said.push(text)
    if (isComplaint && expected?.test(text) !== true) complaints.push(text)
  }
  page.on('pageerror', (error) => hear(String(error), true))
  page.on('console', (message) =>
    hear(message.text(), ['error', 'warning'].includes(message.type())),
  )
  page.on('request', (request) => {
    watched.addresses.push(request.url())
    const { authorization } = request.headers()
    if (authorization !== undefined) watched.credentials.push(authorization)
  })
  atEnd(async () => {
    await context.close()
    expect(complaints).toEqual([])
  })
  await before?.(page)
  await page.goto(url)
  return watched
}
