/** The built site in a real browser, page by page. */

import { hasNoBrowser } from '@latchkey/testing/browser/open-browser'
import { expect, test } from 'vitest'
import { buildSite } from '../site/build-site.ts'
import { checkSite } from '../site/check/check-site.ts'

if (hasNoBrowser) console.warn('SKIPPED: chromium is not installed, so the site is not visited')
// Its tools come from npm.
const isForbidden = process.env['LATCHKEY_TEST_INSTALL'] === 'no'

test.skipIf(hasNoBrowser || isForbidden)(
  'the site has no broken link, no barrier, no request to others, and fits a phone',
  { tags: ['soak'], timeout: 3_600_000 },
  async () => {
    buildSite()
    const { pages, faults } = await checkSite()
    expect(pages).toBeGreaterThan(300)
    expect(faults).toEqual([])
  },
)
