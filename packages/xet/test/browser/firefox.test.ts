/** Firefox is not driven: no release of the driver knows every Firefox. Its page moves files by itself, and tells how it went. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rounds } from '@latchkey/testing/chance'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { findProgram } from '@latchkey/testing/tools/find-program'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { UploadedFile } from '../../src/files.ts'
import { type BreakableWorld, openBreakableWorld } from '../files/file-world.ts'
import { openPageServer, type PageServer } from './page-server.ts'

/** Chromium moves files in every run, Firefox in a soak. */
const isSoak = rounds(0, 1) === 1
const firefox = isSoak ? (findProgram('firefox-esr') ?? findProgram('firefox')) : undefined
const megabyte = 1_000_000

/** It asks nobody for updates, adds nothing, and reports nothing. */
const preferences = `
user_pref("app.update.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.homepage_override.mstone", "ignore");
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("extensions.update.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("services.settings.server", "data:,");
user_pref("toolkit.telemetry.enabled", false);
`

interface Moved {
  readonly length: number
  readonly first: { readonly code?: string; readonly progress: [number, number][] }
  readonly second: { readonly uploaded: UploadedFile; readonly progress: [number, number][] }
  readonly downloaded: { readonly bytes: number; readonly isSame: boolean }
  readonly left: { readonly upload: unknown; readonly download?: unknown }
}

if (isSoak && firefox === undefined) {
  console.warn('SKIPPED: firefox-esr is not installed, so no page in Firefox moves files')
}

describe.skipIf(isSoak && firefox === undefined)('a page in firefox', { tags: 'soak' }, () => {
  const profile = sharedFolder()
  const moved = Promise.withResolvers<Moved>()
  let pages: PageServer
  let world: BreakableWorld

  /** What the page is answered when it has come so far. */
  const steps: Readonly<Record<string, (told: unknown) => unknown>> = {
    begin() {
      // Three xorbs of 4 MiB are on their way at once: the fourth follows when one has arrived.
      void world.line.breakAfterSending(14 * megabyte)
      return world.options()
    },
    mend: () => world.line.mend(),
    'break-download'() {
      const mend = () => world.line.mend()
      void world.line.breakAfterReceiving(8 * megabyte).then(() => setTimeout(mend, 300))
    },
    end: (told) => moved.resolve(told as Moved),
  }

  beforeAll(async () => {
    writeFileSync(join(profile, 'user.js'), preferences)
    pages = await openPageServer((step, told) => steps[step]?.(told))
    world = await openBreakableWorld([pages.origin])
  })
  afterAll(async () => {
    await world?.close()
    await pages?.close()
  })

  // conformance: Client / Pages upload and download files, and resume after an interruption
  it('uploads a file, loses its connection, sends only the rest, downloads it byte for byte, and leaves both ways', async () => {
    const words = ['--headless', '--no-remote', '--profile', profile, `${pages.origin}/moving`]
    const browser = spawn(firefox ?? '', words, { stdio: 'ignore', env: { HOME: profile } })
    try {
      const told = await moved.promise
      expect(told).toMatchObject({
        first: { code: 'storage_unreachable' },
        second: { uploaded: { bytes: told.length } },
        downloaded: { bytes: told.length, isSame: true },
        left: { upload: 'left', download: 'left' },
      })
      expect(told.first.progress.at(0)).toEqual([0, told.length])
      expect(told.second.uploaded.deduplicatedBytes).toBeGreaterThan(4 * megabyte)
      expect(told.second.progress.at(-1)).toEqual([told.length, told.length])
    } finally {
      browser.kill()
      await once(browser, 'exit')
    }
  })
})
