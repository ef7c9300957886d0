/** Makes Python environments whose every file is pinned by its hash. No package is built. */

import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { toolsFolder } from '@latchkey/testing/tools/find-program'
import type { PythonEnvironment } from '@latchkey/testing/tools/python-environments'
import { run } from './run.ts'

const requirements = join(import.meta.dirname, 'requirements')

/** Brings the pip that fills the others, so that each of them is made in no time. */
const installer = join(toolsFolder, 'python', 'installer')

const venvProbe = ['-c', 'import ensurepip, sys, venv; assert sys.version_info >= (3, 10)']

/** Debian's own is the one that Debian's packages help. */
export function pythonWithVenv(): string | undefined {
  const has = (python: string) => spawnSync(python, venvProbe, { stdio: 'ignore' }).status === 0
  return ['python3', '/usr/bin/python3'].find(has)
}

export async function installFromPypi(environments: readonly PythonEnvironment[]): Promise<void> {
  const python = pythonWithVenv()
  if (python === undefined || environments.length === 0) return
  await makeVenv(python, installer)
  for (const { name, folder, python: own } of environments) {
    await makeVenv(python, folder, '--without-pip')
    const file = join(requirements, `${name}.txt`)
    await run(join(installer, 'bin/python'), [
      ...['-m', 'pip', '--python', own, 'install', '-q', '--no-input', '--retries=1'],
      ...['--timeout=15', '--disable-pip-version-check', '--no-compile', '--only-binary=:all:'],
      ...['--require-hashes', '--no-deps', '-r', file],
    ])
  }
}

async function makeVenv(python: string, folder: string, ...options: string[]): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  await run(python, ['-m', 'venv', ...options, folder])
}
