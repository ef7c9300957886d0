/** Makes Python environments whose every file is pinned by its hash. No package is built. */

import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  type PythonEnvironment,
  pipEnvironment,
  pipProgram,
} from '@latchkey/testing/tools/python-environments'
import { run } from './run.ts'

const requirements = join(import.meta.dirname, 'requirements')

const venvProbe = ['-c', 'import ensurepip, sys, venv; assert sys.version_info >= (3, 10)']

/** Debian's own is the one that Debian's packages help. */
export function pythonWithVenv(): string | undefined {
  const has = (python: string) => spawnSync(python, venvProbe, { stdio: 'ignore' }).status === 0
  return ['python3', '/usr/bin/python3'].find(has)
}

/** The pip that Python brings along, unpacked: a Python that installs it as `venv` does compiles all of it first. */
const unpackPip = [
  'import ensurepip, pathlib, sysconfig, zipfile',
  "[wheel] = pathlib.Path(ensurepip.__file__).parent.glob('_bundled/pip-*.whl')",
  "zipfile.ZipFile(wheel).extractall(sysconfig.get_path('purelib'))",
].join('\n')

/** For wheels that hold nothing but modules. */
const unpackWheels = [
  'import pathlib, sys, sysconfig, zipfile',
  'for wheel in pathlib.Path(sys.argv[1]).iterdir():',
  "    zipfile.ZipFile(wheel).extractall(sysconfig.get_path('purelib'))",
].join('\n')

export async function installFromPypi(environments: readonly PythonEnvironment[]): Promise<void> {
  const python = pythonWithVenv()
  if (python === undefined || environments.length === 0) return
  await makeVenv(python, pipEnvironment, '--without-pip')
  const isUnpacked = await run(join(pipEnvironment, 'bin/python'), ['-c', unpackPip])
  if (!isUnpacked) await makeVenv(python, pipEnvironment)
  await Promise.all(environments.map((environment) => fill(python, environment)))
}

/** Files that are kept were checked as they were downloaded. */
async function fill(python: string, environment: PythonEnvironment): Promise<void> {
  const { folder, wheels } = environment
  await makeVenv(python, folder, '--without-pip')
  if (wheels === undefined) await runPip(environment, ['install', '--no-compile'])
  else if (await runPip(environment, ['download', '--dest', wheels])) {
    await run(environment.python, ['-c', unpackWheels, wheels])
  }
}

/** For all packages of the environment, and no others. */
function runPip({ name, python }: PythonEnvironment, words: readonly string[]): Promise<boolean> {
  const file = join(requirements, `${name}.txt`)
  return run(python, [
    ...[pipProgram(), ...words, '-q', '--no-input', '--retries=1'],
    ...['--timeout=15', '--disable-pip-version-check', '--only-binary=:all:'],
    ...['--require-hashes', '--no-deps', '-r', file],
  ])
}

async function makeVenv(python: string, folder: string, ...options: string[]): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  await run(python, ['-m', 'venv', ...options, folder])
}
