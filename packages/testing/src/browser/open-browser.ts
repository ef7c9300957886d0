/** A real browser, with a profile of its own that is removed at the end. */

import { type Browser, chromium } from 'playwright-core'
import { findProgram } from '../tools/find-program.ts'

const executablePath = findProgram('chromium')

/** Then no page is opened; a test that needs one says so aloud. */
export const hasNoBrowser: boolean = executablePath === undefined

/** In place of Playwright's own list: what asks servers of others or changes addresses, and parts of a window that nobody sees. */
const disabledFeatures = [
  ...['AimEnabled', 'NetworkTimeServiceQuerying', 'OptimizationHints', 'PreconnectToSearch'],
  ...['AvoidCorsURLLoaderRestartOnRedirect', 'HttpsFirstBalancedModeAutoEnable', 'HttpsUpgrades'],
  ...['DestroyProfileOnBrowserClose', 'MediaRouter', 'PaintHolding'],
  ...['ThirdPartyStoragePartitioning', 'WebUIOmniboxAimPopup', 'WebUIOmniboxPopup'],
]

// biome-ignore format: a list is read line by line
const args = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
  `--disable-features=${disabledFeatures.join(',')}`,
]

/** A busy machine draws slowly. */
export const patienceMs = 120_000

export function openBrowser(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('chromium is not installed')
  return chromium.launch({ executablePath, args, timeout: patienceMs })
}
