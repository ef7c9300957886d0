/** Where the programs are that tests drive beside npm's: in PATH, or in a cache of this checkout. */

import { accessSync, constants, globSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

/** Of this checkout alone, and gone with the next `npm ci`. */
export const npmTools = resolve(import.meta.dirname, '../node_modules/.cache/latchkey-tools')

/** The packages of the platform hold the program itself; those named like it only fetch or link it. */
const npmFolders = ['*/node_modules/@deno/*', '*/node_modules/@oven/*/bin']

/** Debian keeps servers where only root's PATH leads. */
const debianFolders = ['/usr/local/sbin', '/usr/sbin', '/sbin']

/** Read anew each time: something may have been installed since. */
export function searchPath(): string {
  const cached = globSync(npmFolders, { cwd: npmTools }).map((folder) => join(npmTools, folder))
  return [process.env['PATH'] ?? '', ...debianFolders, ...cached].join(delimiter)
}

export function findProgram(name: string): string | undefined {
  const files = searchPath()
    .split(delimiter)
    .map((folder) => join(folder, name))
  return files.find(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
