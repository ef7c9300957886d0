/** A machine that has one Node and its npm: a folder of links, which is all of PATH. */

import { existsSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { findNode, findProgram, toolsFolder } from '@latchkey/testing/tools/find-program'
import type { NodeMajor } from './cells.ts'

export interface Machine {
  /** The program itself. */
  readonly node: string
  /** Of npm, as a file for that Node. */
  readonly npm: string
  readonly env: Readonly<Record<string, string>>
}

/** What npm and the commands on the demo screen call. */
const others = ['sh', 'bash', 'env', 'curl', 'date', 'sleep', 'grep', 'cat', 'cmp']

/** Undefined where that Node is not found. `folder` is for this machine alone. */
export function machineWith(major: NodeMajor, folder: string): Machine | undefined {
  const node = nodeOf(major)
  if (node === undefined) return undefined
  const [bin, home] = [join(folder, 'bin'), join(folder, 'home')]
  const npm = npmFile()
  if (!existsSync(bin)) {
    for (const path of [bin, home]) mkdirSync(path, { recursive: true })
    symlinkSync(node, join(bin, 'node'))
    symlinkSync(npm, join(bin, 'npm'))
    symlinkSync(join(dirname(npm), 'npx-cli.js'), join(bin, 'npx'))
    for (const name of others) link(name, bin)
  }
  return { node, npm, env: { PATH: bin, HOME: home, ...npmSurroundings(home) } }
}

/** The pinned one, else one of this machine; the newest is the one that runs this. */
function nodeOf(major: NodeMajor): string | undefined {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath
  const pinned = join(toolsFolder, 'npm', `node-${major}`, 'bin/node')
  return existsSync(pinned) ? pinned : findNode(major)
}

function npmFile(): string {
  const { npm_execpath: running } = process.env
  const found = running ?? findProgram('npm')
  if (found === undefined) throw new Error('npm is not in PATH')
  return realpathSync(found)
}

function link(name: string, bin: string): void {
  const found = findProgram(name)
  if (found !== undefined) symlinkSync(found, join(bin, name))
}

/** How npm reaches its registry is this machine's business; what it has run before is not. */
function npmSurroundings(home: string): Readonly<Record<string, string>> {
  const own = join(home, 'npm')
  const shared = join(process.env['npm_config_cache'] ?? join(homedir(), '.npm'), '_cacache')
  if (!existsSync(own)) {
    for (const path of [own, shared]) mkdirSync(path, { recursive: true })
    symlinkSync(shared, join(own, '_cacache'))
  }
  const passed =
    /^(?:npm_config_(?:registry|globalconfig)|(?:https?|no)_proxy|node_extra_ca_certs)$/i
  return {
    npm_config_cache: own,
    npm_config_userconfig: process.env['npm_config_userconfig'] ?? join(homedir(), '.npmrc'),
    npm_config_prefer_offline: 'true',
    npm_config_update_notifier: 'false',
    ...Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value]) =>
        passed.test(name) && value !== undefined ? [[name, value]] : [],
      ),
    ),
  }
}
