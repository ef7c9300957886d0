/** The wheel of the package for Python, among the files of a release. */

import { spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isInstalled, pythonVerifier } from '@latchkey/testing/tools/python-environments'
import { pyproject } from './python-version.ts'

/** Its name in `into`. Undefined where there is no such package, or nothing that builds it. */
export function makeWheel(clone: string, date: string, into: string): string | undefined {
  if (!existsSync(join(clone, pyproject))) return undefined
  if (!isInstalled(pythonVerifier)) {
    console.warn(
      'NOT MADE: the wheel for Python. What builds it is not here; npm test installs it.',
    )
    return undefined
  }
  const words = ['-B', '-m', 'hatchling', 'build', '--target', 'wheel', '--directory', into]
  const { status, stderr } = spawnSync(pythonVerifier.python, words, {
    cwd: join(clone, dirname(pyproject)),
    encoding: 'utf8',
    env: { ...process.env, SOURCE_DATE_EPOCH: `${Date.parse(date) / 1000}` },
  })
  const [wheel] = globSync('*.whl', { cwd: into })
  if (status !== 0 || wheel === undefined) throw new Error(`hatchling makes no wheel:\n${stderr}`)
  return wheel
}
