/** Searches as a reader does: types words, and opens the first result. */

import type { BrowserContext } from 'playwright-core'

/** The faults, each as a sentence. The site's own server is all that the browser reaches. */
export async function trySearch(
  context: BrowserContext,
  origin: string,
  words: string,
  expectedPath: string,
): Promise<readonly string[]> {
  const page = await context.newPage()
  try {
    await page.goto(`${origin}/`)
    await page.locator('#local-search button').first().click()
    await page.locator('input#localsearch-input').fill(words)
    await page.locator('a.result').first().waitFor()
    const links = await page.locator('a.result').evaluateAll((all) => all.map(String))
    const found = links.map((link) => new URL(link).pathname)
    const decisions = found.filter((path) => /^\/internals\/decisions\/\d/.test(path))
    await page.locator(`a.result[href*="${expectedPath}"]`).first().click()
    await page.waitForURL(`${origin}${expectedPath}*`)
    return decisions.map((path) => `the search for "${words}" finds ${path}`)
  } catch (error) {
    return [`the search for "${words}" does not lead to ${expectedPath}: ${error}`]
  } finally {
    await page.close()
  }
}
