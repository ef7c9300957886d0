/** Where the programs are that tests drive beside npm's: in PATH, or in the tools of this checkout. */

import { spawnSync } from 'node:child_process'
import { accessSync, constants, globSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

/** Of this checkout alone, unless told otherwise. `npm ci` leaves it; whoever deletes it gets it anew. */
export const toolsFolder =
  process.env['LATCHKEY_TEST_TOOLS'] ?? resolve(import.meta.dirname, '../../../../.tools')

/** Packages of npm hold the program itself; so do wheels, but that of Envoy hides it from PATH. */
const programFolders = [
  'npm/*',
  'npm/*/bin',
  'go/bin',
  'python/*/lib/python3*/site-packages/envoy/_bin',
  'python/proxies/bin',
]

/** Debian keeps servers where only root's PATH leads. */
const debianFolders = ['/usr/local/sbin', '/usr/sbin', '/sbin']

/** For tests of what a program does where others are missing: an empty PATH then has none of them. */
export const isPathAlone: boolean = process.env['LATCHKEY_TEST_PATH_ALONE'] === '1'

/** Read anew each time: something may have been installed since. */
export function searchPath(): string {
  if (isPathAlone) return process.env['PATH'] ?? ''
  const installed = programFolders.flatMap((folder) => globSync(folder, { cwd: toolsFolder }))
  const folders = installed.map((folder) => join(toolsFolder, folder))
  return [process.env['PATH'] ?? '', ...debianFolders, ...folders].join(delimiter)
}

export function findProgram(name: string): string | undefined {
  return placesOf(name).find(isExecutable)
}

/** Says aloud what is not tested where there is no git-lfs. `so` ends the sentence. */
export function isGitLfsMissing(so: string): boolean {
  const isMissing = findProgram('git-lfs') === undefined
  if (isMissing) console.warn(`NOT TESTED: git-lfs is not installed, so ${so}`)
  return isMissing
}

/** The one of this major version, whichever comes first in PATH. */
export function findNode(major: number): string | undefined {
  return placesOf('node')
    .filter(isExecutable)
    .find((file) => {
      const { stdout } = spawnSync(file, ['--version'], { encoding: 'utf8' })
      return stdout?.startsWith(`v${major}.`) === true
    })
}

function placesOf(name: string): readonly string[] {
  const folders = searchPath().split(delimiter)
  return folders.map((folder) => join(folder, name))
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
