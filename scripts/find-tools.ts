/** Finds the programs that tests drive beside npm's, installs them from Debian where it may, or says what is missing. */

import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'

interface Tool {
  readonly name: string
  /** Succeeds where the tool is there. */
  readonly probe: readonly [program: string, ...args: string[]]
  /** Debian's. */
  readonly packages: readonly string[]
  /** What cannot be tested without it. */
  readonly use: string
}

/** The one that Debian's packages are for, whichever python3 comes first in PATH. */
const python = '/usr/bin/python3'

// biome-ignore format: a table is read by its columns
const tools: readonly Tool[] = [
  { name: 'curl',               probe: ['curl', '--version'],                                            packages: ['curl'],                                           use: 'the commands on the demo screen are pasted into a shell' },
  { name: 'git',                probe: ['git', '--version'],                                             packages: ['git'],                                            use: 'ref names are compared with git' },
  { name: 'nginx',              probe: ['nginx', '-v'],                                                  packages: ['nginx'],                                          use: 'nginx with the shipped configuration lets nobody in with the wrong key' },
  { name: 'njs for nginx',      probe: ['test', '-e', '/usr/lib/nginx/modules/ngx_http_js_module.so'],   packages: ['nginx', 'libnginx-mod-http-js'],                  use: 'nginx keeps no answer of the gate for anybody else' },
  { name: 'caddy',              probe: ['caddy', 'version'],                                             packages: ['caddy'],                                          use: 'Caddy with the shipped configuration lets nobody in with the wrong key' },
  { name: 'python3 with jwt',   probe: [python, '-c', 'import jwt, cryptography'],                       packages: ['python3', 'python3-jwt', 'python3-cryptography'], use: 'a verifier in Python agrees with the gate' },
  { name: 'python3 with yaml',  probe: [python, '-c', 'import yaml'],                                    packages: ['python3', 'python3-yaml'],                        use: 'the examples for Traefik and Envoy can be read' },
]

/** Debian keeps servers where only root's PATH leads. */
const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/local/sbin:/usr/sbin:/sbin` }

const missing = tools.filter((tool) => !isThere(tool))
if (missing.length > 0 && process.getuid?.() === 0 && answers(['apt-get', '--version'])) {
  withoutStartingServices(() => install(missing.flatMap(({ packages }) => packages)))
}
for (const tool of tools) {
  const { name, use } = tool
  if (isThere(tool)) console.log(`${name} is here`)
  else console.warn(`NOT FOUND: ${name}. It is not tested that ${use}. Install it and run again.`)
}

function isThere({ probe }: Tool): boolean {
  return answers(probe)
}

function answers([program, ...args]: Tool['probe']): boolean {
  return spawnSync(program, args, { stdio: 'ignore', env }).status === 0
}

/** Whatever fails here is said afterwards: the programs are then still missing. */
function install(packages: readonly string[]): void {
  const options = {
    stdio: 'inherit',
    env: { ...env, DEBIAN_FRONTEND: 'noninteractive' },
    timeout: 300_000,
  } as const
  spawnSync('apt-get', ['update', '-q'], options)
  for (const name of new Set(packages)) {
    // One by one, so that a package this Debian does not have keeps none of the others away.
    spawnSync('apt-get', ['install', '-y', '-q', '--no-install-recommends', name], options)
  }
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
