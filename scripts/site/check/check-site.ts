/** Walks every page of the built site in a real browser. */

import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openBrowser } from '@latchkey/testing/browser/open-browser'
import { serveSite } from '../serve-site.ts'
import { siteFolder } from '../website.ts'
import { brokenLinks } from './broken-links.ts'
import { trySearch } from './try-search.ts'
import { openTab, type PageFacts } from './visit-page.ts'

export interface SiteReport {
  readonly pages: number
  readonly faults: readonly string[]
}

const atOnce = 3

/** `part` chooses pages by a part of their path; then no link is judged. */
export async function checkSite(
  part = '',
  tell: (facts: PageFacts) => void = () => {},
): Promise<SiteReport> {
  const { origin, close } = await serveSite()
  const browser = await openBrowser()
  try {
    const context = await browser.newContext({ reducedMotion: 'reduce' })
    await context.route(
      (url) => url.origin !== origin,
      (route) => route.abort(),
    )
    const files = globSync('**/*.html', { cwd: siteFolder }).filter((file) => file.includes(part))
    const pages: PageFacts[] = []
    const queue = files.values()
    const walk = async () => {
      const visit = await openTab(context, origin)
      for (const file of queue) {
        const facts = await visit(file)
        pages.push(facts)
        tell(facts)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, walk))
    const own = pages.flatMap(({ path, faults }) => faults.map((fault) => `${path} ${fault}`))
    const links = part === '' ? brokenLinks(pages, origin, isFile) : []
    const search = await trySearch(context, origin, 'rotate signing keys', '/guides/rotate-keys')
    return { pages: pages.length, faults: [...own, ...links, ...search].sort() }
  } finally {
    await browser.close()
    close()
  }
}

function isFile(pathname: string): boolean {
  const file = join(siteFolder, decodeURIComponent(pathname))
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true
}
