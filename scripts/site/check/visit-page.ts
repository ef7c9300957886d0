/** Opens one page of the site in a browser, and notes what a reader would meet. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { website } from '../website.ts'

export interface PageFacts {
  /** From the root of the site: `/guides/gateway.html`. */
  readonly path: string
  /** Addresses of links and images. */
  readonly links: readonly string[]
  readonly anchors: readonly string[]
  /** Problems that show on the page itself, each as a sentence. */
  readonly faults: readonly string[]
}

/** A phone. */
const narrow = { width: 400, height: 800 }
const wide = { width: 1280, height: 900 }

/** Visits pages one after the other in one tab: a new tab for each would be a new process. */
export async function openTab(
  context: BrowserContext,
  origin: string,
): Promise<(file: string) => Promise<PageFacts>> {
  const page = await context.newPage()
  let faults: string[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) faults.push(`requests ${request.url()}`)
  })
  page.on('pageerror', (error) => faults.push(`throws ${error}`))
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`logs ${message.text()}`)
  })
  return async (file) => {
    faults = []
    await page.setViewportSize(narrow)
    await page.goto(`${origin}/${file}`)
    const { pageWidth, links, anchors } = await page.evaluate<PageReading>(reading)
    if (pageWidth > narrow.width) faults.push(`is ${pageWidth} px wide on ${narrow.width} px`)
    faults.push(...(await findBarriers(page)))
    if (!isAlike(file)) {
      await page.setViewportSize(wide)
      faults.push(...(await findBarriers(page)))
    }
    return { path: `/${file}`, links, anchors, faults: [...new Set(faults)] }
  }
}

/** Hundreds of pages of TypeDoc differ in their text alone: a window of one width is enough. */
function isAlike(file: string): boolean {
  return /^api\/(?!modules\/|index)/.test(file)
}

interface PageReading {
  readonly pageWidth: number
  readonly links: readonly string[]
  readonly anchors: readonly string[]
}

/** Runs in the page, whose names TypeScript does not know here. */
const reading = `({
  pageWidth: document.documentElement.scrollWidth,
  links: [
    ...Array.from(document.querySelectorAll('a[href]'), String),
    ...Array.from(document.images, ({ src }) => src),
  ],
  anchors: Array.from(document.querySelectorAll('[id]'), ({ id }) => id),
})`

/** Read with the first page: `npm run docs` installs it. */
let axe: string | undefined

interface AxeFinding {
  readonly id: string
  readonly nodes: readonly { readonly target: readonly unknown[] }[]
}

/** What axe-core finds, one line for each rule. */
async function findBarriers(page: Page) {
  axe ??= readFileSync(join(website, 'node_modules/axe-core/axe.min.js'), 'utf8')
  await page.evaluate(axe)
  const found: readonly AxeFinding[] = await page.evaluate('axe.run().then((r) => r.violations)')
  return found.map(({ id, nodes }) => {
    const targets = nodes.slice(0, 3).map(({ target }) => target.join(' '))
    return `has ${nodes.length} × ${id}: ${targets.join(', ')}`
  })
}
