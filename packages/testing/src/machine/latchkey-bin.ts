/** The file behind the `latchkey` command, and where its processes keep what they have compiled. */

import { createRequire } from 'node:module'
import { resolve } from 'node:path'

const inCheckout = createRequire(import.meta.url).resolve('latchkey/bin/latchkey.js')

/** In a run of all tests the command as npm packs it, which `scripts/bundle-command.ts` has made. */
export const latchkeyBin: string = process.env['TEST_RUN_COMMAND'] ?? inCheckout

/** The command as it is written, where there is a bundle too. */
export const latchkeySources: string = resolve(inCheckout, '../from-sources.js')

/** Tests start many processes of the same sources. Below node_modules, so that `npm ci` clears it. */
export const compileCache: string = resolve(
  import.meta.dirname,
  '../../../../node_modules/.cache/latchkey-compile',
)

/**
 * Flags of Node. V8 begins with a young generation of 1 MB, and collects it several times while a command loads, which takes
 * a quarter of the time of a start. A test that measures memory leaves them out.
 */
export const roomToStart: readonly string[] = ['--min-semi-space-size=16']
