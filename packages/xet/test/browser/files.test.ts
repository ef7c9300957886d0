import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasNoBrowser, openBrowser } from '@latchkey/testing/browser/open-browser'
import { openPage } from '@latchkey/testing/browser/open-page'
import { keystream } from '@latchkey/testing/keystream'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type * as files from '../../src/files.ts'
import { documented } from '../files/documented.ts'
import { type BreakableWorld, openBreakableWorld } from '../files/file-world.ts'
import { openPageServer, type PageServer } from './page-server.ts'

/** In the page; the functions given to `evaluate` see nothing else of this file. */
declare const latchkey: typeof files
declare const chosenFile: () => File

const megabyte = 1_000_000
const content = keystream('a page', 16 * megabyte)
/** Enough where no line breaks. */
const little = keystream('a little', 2 * megabyte)

/** What the browser shows in its console: that a line broke, and that the storage does not know a chunk. */
const shown = /net::ERR_|NetworkError|status of 404/

if (hasNoBrowser) console.warn('SKIPPED: chromium is not installed, so no page moves files')

describe.skipIf(hasNoBrowser)('a page in chromium', () => {
  const folder = sharedFolder()
  const file = join(folder, 'weights.bin')
  const littleFile = join(folder, 'little.bin')
  let pages: PageServer
  let world: BreakableWorld
  let browser: Browser

  beforeAll(async () => {
    writeFileSync(file, content)
    writeFileSync(littleFile, little)
    pages = await openPageServer()
    world = await openBreakableWorld([pages.origin])
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await world?.close()
    await pages?.close()
  })

  afterEach(() => world.line.mend())

  const open = async (chosen = file) => {
    const { page } = await openPage(browser, pages.origin, { expected: shown })
    await expect.poll(() => page.evaluate(() => 'latchkey' in globalThis)).toBe(true)
    await page.locator('input').setInputFiles(chosen)
    return page
  }

  // conformance: Client / Pages upload and download files, and resume after an interruption
  test('uploads a file with progress, loses its connection, sends only the rest when it goes on, and downloads it byte for byte', async () => {
    const page = await open()
    const before = world.line.sentBytes()
    // Three xorbs of 4 MiB are on their way at once: the fourth follows when one has arrived.
    const broken = world.line.breakAfterSending(13 * megabyte)
    const [first] = await Promise.all([upload(page, { retryTimeoutSeconds: 0 }), broken])
    expect(first.code).toBe('storage_unreachable')
    expect(first.progress.at(0)).toEqual([0, content.length])
    expect(first.progress.at(-1)?.[0]).toBeGreaterThan(0)
    expect(first.progress.at(-1)?.[0]).toBeLessThan(content.length)

    world.line.mend()
    const sent = world.line.sentBytes() - before
    const second = await upload(page)
    expect(second.uploaded).toMatchObject({ bytes: content.length })
    const { deduplicatedBytes: kept = 0, uploadedBytes } = second.uploaded ?? {}
    expect(kept).toBeGreaterThan(4 * megabyte)
    expect(uploadedBytes).toBeLessThan(content.length - sent + 13 * megabyte)
    // What was kept is not on the line again: only the rest, and a little around it.
    const sentAgain = world.line.sentBytes() - before - sent
    expect(sentAgain).toBeLessThan((content.length - kept) * 1.01 + 200_000)
    expect(second.progress.at(-1)).toEqual([content.length, content.length])

    const { breakAfterReceiving, turnedAway, mend } = world.line
    const mended = breakAfterReceiving(8 * megabyte)
      .then(turnedAway)
      .then(mend)
    const [downloaded] = await Promise.all([download(page, second.uploaded?.hash ?? ''), mended])
    expect(downloaded).toMatchObject({ bytes: content.length, isSame: true })
    expect(downloaded.progress.at(-1)).toEqual([content.length, content.length])
    expect(downloaded.progress.length).toBeGreaterThan(5)
  })

  test('goes on by itself when the browser was offline', async () => {
    const page = await open()
    const changed = await page.evaluate(async (options) => {
      const client = latchkey.createFileClient(options)
      const all: number[] = []
      const source = new Blob([new Uint8Array(1000).fill(7), chosenFile()])
      const onProgress = (bytes: number) => all.push(bytes)
      const uploading = client.upload(source, { onProgress })
      Object.assign(globalThis, { uploading, all })
      return source.size
    }, world.options())
    const settled = () =>
      page.evaluate(() => (globalThis as unknown as { all: number[] }).all.at(-1))
    await expect.poll(settled).toBeGreaterThan(0)
    await page.context().setOffline(true)
    await page.waitForTimeout(500)
    await page.context().setOffline(false)
    const { bytes } = await page.evaluate(
      () => (globalThis as unknown as { uploading: Promise<{ bytes: number }> }).uploading,
    )
    expect(bytes).toBe(changed)
  })

  // conformance: Client / Pages upload and download files, and resume after an interruption
  test('sends nothing of a file that is there, not even that it is', async () => {
    const page = await open(littleFile)
    await upload(page)
    const posted: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') posted.push(request.url())
    })
    const { uploaded } = await upload(page)
    expect([uploaded?.deduplicatedBytes, posted]).toEqual([little.length, []])
  })

  // conformance: Client / Pages upload and download files, and resume after an interruption
  test('leaves an upload or a download by its signal, and asks for nothing more', async () => {
    const page = await open()
    const reason = await page.evaluate(async (options) => {
      const client = latchkey.createFileClient(options)
      const leaving = new AbortController()
      const onProgress = (bytes: number) => void (bytes > 0 && leaving.abort('left'))
      return client
        .upload(chosenFile(), { signal: leaving.signal, onProgress })
        .catch((error) => error)
    }, world.options())
    expect(reason).toBe('left')

    const { uploaded } = await upload(page)
    const left = await page.evaluate(
      async ({ options, hash }) => {
        const client = latchkey.createFileClient(options)
        const leaving = new AbortController()
        const download = await client.download(hash, { signal: leaving.signal })
        let bytes = 0
        try {
          for await (const part of download) {
            bytes += part.length
            leaving.abort('left')
          }
        } catch (reason) {
          return { reason, bytes }
        }
        return { bytes }
      },
      { options: world.options(), hash: uploaded?.hash ?? '' },
    )
    expect(left.reason).toBe('left')
    expect(left.bytes).toBeLessThan(content.length)
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.waitForTimeout(1000)
    expect(asked).toEqual([])
  })

  test('does what the browser guide shows: uploads the chosen file with a progress bar, and saves a copy', async () => {
    pages.show('/documented', documented('html', world))
    const { page } = await openPage(browser, `${pages.origin}/documented`, { expected: shown })
    await page.locator('input').setInputFiles(littleFile)
    await page.locator('a').waitFor()
    const [saved] = await Promise.all([page.waitForEvent('download'), page.locator('a').click()])
    expect(little.equals(readFileSync(await saved.path()))).toBe(true)
    const bar = page.locator('progress')
    expect(await bar.getAttribute('value')).toBe(`${little.length}`)
    expect(await bar.getAttribute('max')).toBe(`${little.length}`)
  })

  interface Tried {
    readonly code?: string
    readonly uploaded?: files.UploadedFile
    readonly progress: (readonly [number, number | undefined])[]
  }

  function upload(page: Page, more: object = {}): Promise<Tried> {
    return page.evaluate(
      async (options) => {
        const client = latchkey.createFileClient(options)
        const progress: Tried['progress'] = []
        const onProgress = (...told: [number, number | undefined]) => void progress.push(told)
        try {
          return { progress, uploaded: await client.upload(chosenFile(), { onProgress }) }
        } catch (error) {
          return { progress, code: (error as files.LatchkeyError).code }
        } finally {
          client.close()
        }
      },
      { ...world.options(), ...more },
    )
  }

  function download(page: Page, hash: string) {
    return page.evaluate(
      async ({ options, hash }) => {
        const client = latchkey.createFileClient(options)
        const progress: Tried['progress'] = []
        const onProgress = (...told: [number, number | undefined]) => void progress.push(told)
        const download = await client.download(hash, { onProgress })
        const blob = await download.blob()
        const one = new Uint8Array(await chosenFile().arrayBuffer())
        const other = new Uint8Array(await blob.arrayBuffer())
        let same = 0
        while (same < one.length && one[same] === other[same]) same += 1
        const isSame = same === one.length && same === other.length
        return { bytes: download.bytes, isSame, progress }
      },
      { options: world.options(), hash },
    )
  }
})
