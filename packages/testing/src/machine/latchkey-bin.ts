/** The file behind the `latchkey` command, and where its processes keep what they have compiled. */

import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const latchkeyBin: string = createRequire(import.meta.url).resolve(
  'latchkey/bin/latchkey.js',
)

/** Tests start many processes of the same sources. */
export const compileCache: string = join(
  tmpdir(),
  `latchkey-test-compile-cache-${process.getuid?.() ?? 0}`,
)
