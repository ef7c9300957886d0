/**
 * Writes the pictures in docs/images that come from real output: pages in a browser, and commands on a terminal. Words choose:
 * `hub` or `demo`.
 */

import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { openBrowser } from '@latchkey/testing/browser/open-browser'
import { photographDemo } from './pictures/demo-pages.ts'
import { photographHub } from './pictures/service-pages.ts'

const writers = { hub: photographHub, demo: photographDemo }

const images = resolve(import.meta.dirname, '../docs/images')
const words = process.argv.slice(2)
mkdirSync(images, { recursive: true })
const browser = await openBrowser()
try {
  for (const [name, write] of Object.entries(writers)) {
    if (words.length === 0 || words.includes(name)) await write(browser, images)
  }
} finally {
  await browser.close()
}
