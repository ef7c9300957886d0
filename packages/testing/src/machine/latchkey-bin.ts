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
