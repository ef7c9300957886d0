/** Finds the programs that tests drive, installs the missing ones where it may, or says what is then not tested. */

import { spawnSync } from 'node:child_process'
import { findNode, searchPath } from '@latchkey/testing/tools/find-program'
import { findGo, hasModulesOfExample } from '@latchkey/testing/tools/go-program'
import { findPgbouncer, findPostgres } from '@latchkey/testing/tools/postgres-programs'
import {
  isInstalled,
  type PythonEnvironment,
  pythonClients,
  pythonDatasets,
  pythonProxies,
  pythonVerifier,
  pythonVerifierOfSoak,
} from '@latchkey/testing/tools/python-environments'
import { findS3Proxy, findVersitygw } from '@latchkey/testing/tools/s3-stores'
import { installFromDebian, mayInstall } from './tools/install-from-debian.ts'
import { installModulesOfExample, installVersitygw } from './tools/install-from-go.ts'
import { installS3Proxy } from './tools/install-from-maven.ts'
import {
  bun,
  deno,
  installFromNpm,
  node20,
  node22,
  node24,
  workerd,
} from './tools/install-from-npm.ts'
import { installFromPypi, pythonWithVenv } from './tools/install-from-pypi.ts'

export interface Tool {
  readonly name: string
  readonly isThere: () => boolean
  /** Packages of Debian that bring it. */
  readonly debian?: readonly string[]
  /** The packages of npm that bring it where Debian has none, by platform. */
  readonly npm?: typeof bun
  /** The environment of PyPI's packages that it is. */
  readonly pypi?: PythonEnvironment
  /** Go or Maven downloads it by itself. */
  readonly install?: () => Promise<void>
  /** What cannot be tested without it. */
  readonly use: string
}

/** The one that Debian's packages are for, whichever python3 comes first in PATH. */
const python = '/usr/bin/python3'
const njs = '/usr/lib/nginx/modules/ngx_http_js_module.so'

const isSoak = process.env['LATCHKEY_SOAK'] === '1'
const toolsOfSoak: readonly Tool[] = [
  {
    name: 'firefox-esr',
    isThere: answers('firefox-esr', '--version'),
    debian: ['firefox-esr'],
    use: 'a page in Firefox uploads and downloads files',
  },
  {
    // Between the oldest and the newest: only the whole table of packages and Nodes needs it.
    name: 'node-24',
    isThere: () => findNode(24) !== undefined,
    npm: node24,
    use: 'the packages can be installed and keep their promises in Node 24',
  },
  {
    name: 'latchkey-verify-soak',
    isThere: () => isInstalled(pythonVerifierOfSoak),
    pypi: pythonVerifierOfSoak,
    use: 'the verifier for storages in Python can be installed and keeps its types',
  },
  fromPypi(pythonDatasets),
]

// biome-ignore format: a table is read by its columns
const allTools: readonly Tool[] = [
  { name: 'curl',              isThere: answers('curl', '--version'),                    debian: ['curl'],                                           use: 'the commands on the demo screen are pasted into a shell' },
  { name: 'jq',                isThere: answers('jq', '--version'),                      debian: ['jq'],                                             use: 'the commands of the documents do what they say' },
  { name: 'git',               isThere: answers('git', '--version'),                     debian: ['git'],                                            use: 'ref names are compared with git' },
  { name: 'git-lfs',           isThere: answers('git-lfs', 'version'),                    debian: ['git-lfs'],                                        use: 'large files are cloned with git-lfs' },
  { name: 'nginx',             isThere: answers('nginx', '-v'),                          debian: ['nginx'],                                          use: 'nginx with the shipped configuration lets nobody in with the wrong key' },
  { name: 'njs for nginx',     isThere: answers('test', '-e', njs),                      debian: ['nginx', 'libnginx-mod-http-js'],                  use: 'nginx keeps no answer of the gate for anybody else' },
  { name: 'caddy',             isThere: answers('caddy', 'version'),                     debian: ['caddy'],                                          use: 'Caddy with the shipped configuration lets nobody in with the wrong key' },
  { name: 'python3 with jwt',  isThere: answers(python, '-c', 'import jwt, cryptography'), debian: ['python3', 'python3-jwt', 'python3-cryptography'], use: 'a verifier in Python agrees with the gate' },
  { name: 'python3 with yaml', isThere: answers(python, '-c', 'import yaml'),            debian: ['python3', 'python3-yaml'],                        use: 'the examples for Traefik and Envoy can be read' },
  { name: 'python3 with venv', isThere: () => pythonWithVenv() !== undefined,            debian: ['python3', 'python3-venv'],                        use: 'programs from PyPI can be installed' },
  { name: 'chromium',          isThere: answers('chromium', '--version'),                debian: ['chromium'],                                       use: 'a page on another origin gets a token and reads through the gate' },
  { name: 'zsh',               isThere: answers('zsh', '--version'),                     debian: ['zsh'],                                            use: 'the TAB key completes commands in zsh' },
  { name: 'fish',              isThere: answers('fish', '--version'),                    debian: ['fish'],                                           use: 'the TAB key completes commands in fish' },
  { name: 'postgresql',        isThere: () => findPostgres() !== undefined,              debian: ['postgresql'],                                     use: 'a PostgreSQL keeps what it has acknowledged, with a replica and over TLS' },
  { name: 'pgbouncer',         isThere: () => findPgbouncer() !== undefined,             debian: ['pgbouncer'],                                      use: 'a PostgreSQL works behind a pooler in transaction mode' },
  { name: 'deno',              isThere: answers('deno', '--version'),                    npm: deno,                                                  use: 'the client keeps its promises in Deno' },
  { name: 'bun',               isThere: answers('bun', '--version'),                     npm: bun,                                                   use: 'the client keeps its promises in Bun' },
  { name: 'workerd',           isThere: answers('workerd', '--version'),                 npm: workerd,                                               use: 'the gate keeps its promises in workerd' },
  { name: 'node-20',           isThere: () => findNode(20) !== undefined,                npm: node20,                                                use: 'the client keeps its promises in Node 20' },
  { name: 'latchkey-verify',   isThere: () => isInstalled(pythonVerifier),               pypi: pythonVerifier,                                       use: 'the verifier for storages in Python decides as the gate does' },
  { name: 'go 1.25 or newer',  isThere: () => findGo() !== undefined,                                                                                use: 'the verifier for storages in Go decides as the gate does' },
  { name: 'chi for Go',        isThere: () => findGo() === undefined || hasModulesOfExample(), install: installModulesOfExample,                                   use: 'the example of a storage on chi keeps refs apart' },
  { name: 'versitygw for Go',  isThere: () => findVersitygw() !== undefined,             install: installVersitygw,                                  use: 'content can be kept in a store that speaks S3' },
  { name: 'S3Proxy for Java 17',  isThere: () => findS3Proxy() !== undefined,               install: installS3Proxy,                                    use: 'content can be kept in a second store that speaks S3' },
  { name: 'node-22',           isThere: () => findNode(22) !== undefined,                npm: node22,                                                use: 'the gate can be installed and keeps its promises in Node 22' },
  ...[...pythonClients, pythonProxies].map((pypi) => fromPypi(pypi)),
  ...(isSoak ? toolsOfSoak : []),
]

/** Installs what is missing and may be installed; gives what is missing afterwards. Words choose tools by parts of their names. */
export async function findTools(words: readonly string[] = []): Promise<readonly Tool[]> {
  const missing = toolsNamed(words).filter(({ isThere }) => !isThere())
  if (missing.length > 0 && !isForbidden()) {
    announce(missing)
    const others = missing.map(({ install }) => install?.())
    await Promise.all([fromDebianThenPypi(missing), ...missing.map(installWithNpm), ...others])
  }
  return missing.filter(({ isThere }) => !isThere())
}

function toolsNamed(words: readonly string[]): readonly Tool[] {
  return allTools.filter(
    ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
  )
}

/** The command that installs a tool, or where it is. */
export function installationOf({ name, debian, npm, pypi, install }: Tool): string {
  if (npm ?? pypi ?? install) return `npx node scripts/find-tools.ts '${name}'`
  return debian ? `apt-get install ${debian.join(' ')}` : 'https://go.dev/dl'
}

function isForbidden(): boolean {
  return process.env['LATCHKEY_TEST_INSTALL'] === 'no'
}

/** Before anything is installed: what, where to, and how to say no. */
function announce(missing: readonly Tool[]): void {
  const debian = mayInstall() ? missing.filter((tool) => tool.debian) : []
  const own = missing.filter((tool) => tool.npm || tool.pypi || tool.install)
  const parts = [
    ...(debian.length > 0 ? [`on this machine, from Debian: ${namesOf(debian)}`] : []),
    ...(own.length > 0 ? [`into .tools of this checkout, pinned by hash: ${namesOf(own)}`] : []),
  ]
  if (parts.length === 0) return
  console.log(`About to install ${parts.join('; ')}. LATCHKEY_TEST_INSTALL=no forbids it.`)
}

function namesOf(tools: readonly Tool[]): string {
  return tools.map(({ name }) => name).join(', ')
}

/** Debian may have to bring the Python that PyPI's packages need. */
async function fromDebianThenPypi(missing: readonly Tool[]): Promise<void> {
  const [needed, others] = [pythonWithVenv() === undefined, missing.flatMap(debianOf)]
  const pypi = missing.flatMap(({ pypi }) => pypi ?? [])
  const debian = mayInstall() ? installFromDebian(others) : Promise.resolve()
  if (needed) await debian
  await Promise.all([debian, installFromPypi(pypi)])
}

function debianOf({ debian = [] }: Tool): readonly string[] {
  return debian
}

async function installWithNpm({ name, npm }: Tool): Promise<void> {
  if (npm !== undefined) await installFromNpm(name, npm)
}

function fromPypi(pypi: PythonEnvironment): Tool {
  const releases = Object.entries(pypi.packages).map((each) => each.join(' '))
  return {
    name: releases.join(' with '),
    isThere: () => isInstalled(pypi),
    pypi,
    use: `${releases.join(' and ')} work with it`,
  }
}

function answers(program: string, ...args: readonly string[]): () => boolean {
  return () => {
    const env = { ...process.env, PATH: searchPath() }
    return spawnSync(program, args, { stdio: 'ignore', env }).status === 0
  }
}

if (import.meta.main) {
  const words = process.argv.slice(2)
  const missing = await findTools(words)
  for (const tool of toolsNamed(words)) {
    const { name, use } = tool
    if (!missing.includes(tool)) console.log(`${name} is here`)
    else console.warn(`NOT FOUND: ${name}. It is not tested that ${use}. Install it and run again.`)
  }
}
