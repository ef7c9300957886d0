/** Installs packages of Debian, without starting the servers among them. */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { findProgram } from '@latchkey/testing/tools/find-program'
import { run } from './run.ts'

/** Whether this user may install anything at all. */
export function mayInstall(): boolean {
  return process.getuid?.() === 0 && findProgram('apt-get') !== undefined
}

/** A package that fails is named afterwards, because its program is then still missing. */
export async function installFromDebian(packages: readonly string[]): Promise<void> {
  if (packages.length === 0) return
  const names = [...new Set(packages)]
  const files = names.includes('postgresql') ? [noServices, noCluster] : [noServices]
  await whileThereAre(files, async () => {
    await apt('update')
    if (await apt('install', ...names)) return
    // A package that this Debian does not have must not keep the others away.
    for (const name of names) await apt('install', name)
  })
}

function apt(verb: string, ...names: readonly string[]): Promise<boolean> {
  const options = ['-y', '-qq', '--no-install-recommends', '-o', 'Dpkg::Use-Pty=0']
  return run('apt-get', [verb, ...options, ...names], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/** Files that exist only while something is installed. */
interface TemporaryFile {
  readonly path: string
  readonly text: string
  readonly mode: number
}

const comment = '# Of the tests of latchkey while they install programs; may be removed.\n'

/** Debian starts a server as soon as it is installed, unless this file says no. Containers mostly have one. */
const noServices: TemporaryFile = {
  path: '/usr/sbin/policy-rc.d',
  text: `#!/bin/sh\n${comment}exit 101\n`,
  mode: 0o755,
}

/** PostgreSQL of Debian comes with databases of its own, which the next boot would start. Tests make their own. */
const noCluster: TemporaryFile = {
  path: '/etc/postgresql-common/createcluster.d/latchkey-tests.conf',
  text: `${comment}create_main_cluster = false\n`,
  mode: 0o644,
}

/** Where one cannot be written, nothing is installed. */
async function whileThereAre(
  files: readonly TemporaryFile[],
  act: () => Promise<void>,
): Promise<void> {
  // Interrupted, apt ends, and this goes on to clean up.
  const stay = () => {}
  process.on('SIGINT', stay).on('SIGTERM', stay)
  const outcomes = files.map(write)
  try {
    if (!outcomes.includes('failed')) await act()
  } finally {
    const ours = files.filter((_, index) => outcomes[index] === 'written')
    for (const { path } of ours) rmSync(path, { force: true })
    process.off('SIGINT', stay).off('SIGTERM', stay)
  }
}

/** A file that is already there is the machine's own decision. */
function write({ path, text, mode }: TemporaryFile): 'written' | 'there' | 'failed' {
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { flag: 'wx', mode })
    return 'written'
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EEXIST' ? 'there' : 'failed'
  }
}
