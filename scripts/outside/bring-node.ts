/** Puts the Node of this checkout into a folder before npm installs the command there: npm takes four seconds to unpack it. */

import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folderOf, root } from '../packages/packages.ts'

/**
 * As an earlier install would have left it. npm keeps it if the command depends on it, with the hash of the folder's lockfile,
 * and removes it otherwise. Where this checkout has no such Node, npm fetches it.
 */
export function bringNode(folder: string): void {
  const { packages } = readJson(join(folder, 'package-lock.json'))
  const { optionalDependencies } = readJson(join(folderOf('cli'), 'package.json'))
  for (const name of Object.keys(optionalDependencies)) {
    const place = join('node_modules', name)
    if (isHere(place, packages[place])) link(place, folder, packages[place])
  }
}

interface Locked {
  readonly version: string
  readonly bin: Readonly<Record<string, string>>
}

function isHere(place: string, locked: Locked): boolean {
  try {
    return readJson(join(root, place, 'package.json')).version === locked.version
  } catch {
    return false
  }
}

function link(place: string, folder: string, locked: Locked): void {
  const bins = join(folder, 'node_modules/.bin')
  mkdirSync(bins, { recursive: true })
  mkdirSync(join(folder, place))
  copyFileSync(join(root, place, 'package.json'), join(folder, place, 'package.json'))
  for (const [name, file] of Object.entries(locked.bin)) {
    mkdirSync(join(folder, place, file, '..'), { recursive: true })
    symlinkSync(join(root, place, file), join(folder, place, file))
    symlinkSync(join('../..', place, file), join(bins, name))
  }
  // npm believes it only if it is newer than the folders that it names.
  const installed = { lockfileVersion: 3, requires: true, packages: { [place]: locked } }
  writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify(installed))
}

function readJson(file: string) {
  return JSON.parse(readFileSync(file, 'utf8'))
}
