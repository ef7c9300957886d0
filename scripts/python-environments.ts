/** The Python clients that tests drive: each release in an environment of its own, below npm's cache. */

import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { npmTools } from './find-program.ts'

export interface PythonEnvironment {
  readonly name: string
  /** As pip reads them. */
  readonly packages: readonly string[]
  /** The interpreter that finds them. */
  readonly python: string
}

export const pythonEnvironments: readonly PythonEnvironment[] = [
  environment('huggingface_hub 1.33.0', ['huggingface_hub==1.33.0', 'hf_xet==1.6.0']),
  environment('huggingface_hub 2.0.0', ['huggingface_hub==2.0.0', 'hf_xet==1.6.0']),
]

/** Fails where one of the packages is missing or another release. */
export function probeOf({ python, packages }: PythonEnvironment): readonly [string, ...string[]] {
  const wanted = packages.map((each) => each.split('=='))
  const check = `from importlib.metadata import version; assert all(version(name) == wanted for name, wanted in ${JSON.stringify(wanted)})`
  return [python, '-c', check]
}

/** Whether all of its packages are there. */
export function isInstalled(environment: PythonEnvironment): boolean {
  const [python, ...args] = probeOf(environment)
  return existsSync(python) && spawnSync(python, args, { stdio: 'ignore' }).status === 0
}

const venvProbe = ['-c', 'import ensurepip, sys, venv; assert sys.version_info >= (3, 9)']

/** Debian's own is the one that Debian's packages help. */
export function pythonWithVenv(): string {
  const has = (python: string) => spawnSync(python, venvProbe, { stdio: 'ignore' }).status === 0
  return ['python3', '/usr/bin/python3'].find(has) ?? '/usr/bin/python3'
}

export function venvProbeOf(python: string): readonly [string, ...string[]] {
  return [python, ...venvProbe]
}

/** Whatever fails here is said afterwards: the packages are then still missing. No package is built. */
export function installEnvironment({ python, packages }: PythonEnvironment): void {
  const folder = join(python, '../..')
  const options = { stdio: 'inherit', timeout: 120_000 } as const
  rmSync(folder, { recursive: true, force: true })
  if (spawnSync(pythonWithVenv(), ['-m', 'venv', folder], options).status !== 0) return
  const quietly = ['-q', '--no-input', '--disable-pip-version-check', '--retries=1', '--timeout=15']
  spawnSync(
    python,
    ['-m', 'pip', 'install', ...quietly, '--only-binary=:all:', ...packages],
    options,
  )
}

function environment(name: string, packages: readonly string[]): PythonEnvironment {
  return { name, packages, python: join(npmTools, name.replace(' ', '-'), 'bin/python') }
}
