/** A user who owns nothing, for tests that root would pass by being root. */

import { spawnSync } from 'node:child_process'
import { latchkeyBin } from '@latchkey/testing/machine/latchkey-bin'
import type { TestContext } from 'vitest'

const nobody = 65_534

/** Undefined when this user is not root and so meets file modes itself; skips where neither works. */
export function nobodyMayRun({ skip }: TestContext): number | undefined {
  if (process.getuid?.() !== 0) return undefined
  const { status } = spawnSync(process.execPath, [latchkeyBin, '--version'], {
    uid: nobody,
    gid: nobody,
    cwd: '/',
    env: {},
  })
  if (status !== 0) skip('root ignores modes, and no other user can run the command here')
  return nobody
}
