/** The file behind the `latchkey` command, and where its processes keep what they have compiled. */

import { createRequire } from 'node:module'
import { resolve } from 'node:path'

export const latchkeyBin: string = createRequire(import.meta.url).resolve(
  'latchkey/bin/latchkey.js',
)

/** The command as it is written, where there is a bundle too. */
export const latchkeySources: string = resolve(latchkeyBin, '../from-sources.js')

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
