/** The git of this machine, in an empty repository, to compare with. */

import { spawnSync } from 'node:child_process'
import { sharedFolder } from '@latchkey/testing/machine/folder'

export const isGitThere = spawnSync('git', ['--version']).status === 0
if (!isGitThere) console.warn('SKIPPED: git is not installed, so names are not compared with it')

export interface RealGit {
  readonly folder: string
  /** What it prints, in bytes of a character each; whether it succeeds says nothing here. */
  readonly run: (args: readonly string[], input?: string) => string
}

/** Inside `describe`. */
export function realGit(): RealGit {
  const folder = sharedFolder()
  const { PATH = '' } = process.env
  const env = { PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' }
  const protect = ['-c', 'core.protectHFS=true', '-c', 'core.protectNTFS=true']
  const run: RealGit['run'] = (args, input = '') => {
    const done = spawnSync('git', [...protect, ...args], {
      ...{ cwd: folder, env, input: Buffer.from(input, 'latin1'), maxBuffer: 2 ** 28 },
    })
    return `${done.stdout.toString('latin1')}${done.stderr.toString('latin1')}`
  }
  if (isGitThere) run(['init', '-q'])
  return { folder, run }
}
