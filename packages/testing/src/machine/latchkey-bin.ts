/** The files behind the `latchkey` command, and where its processes keep what they have compiled. */

import { createRequire } from 'node:module'
import { resolve } from 'node:path'

/** Runs the sources, as people do. */
export const latchkeyBin: string = createRequire(import.meta.url).resolve(
  'latchkey/bin/latchkey.js',
)

/** Runs the same command bundled, for tests that start it often; see `bundle-command.ts`. */
export const bundledBin: string = resolve(
  import.meta.dirname,
  '../../../cli/dist/bundle/bin/latchkey.js',
)

/** Tests start many processes of the same sources. Below node_modules, so that `npm ci` clears it. */
export const compileCache: string = resolve(
  import.meta.dirname,
  '../../../../node_modules/.cache/latchkey-compile',
)
