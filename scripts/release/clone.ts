/** A copy of what is committed, in which a release is made: what is built there holds nothing else, and the tree stays as it is. */

import {
  copyFileSync,
  globSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { git } from './git.ts'

/** `at` is a tag or a commit. Both folders are gone when `use` is done; `into` is empty. */
export function inClone<T>(root: string, at: string, use: (clone: string, into: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-release-'))
  try {
    const [clone, into] = [join(folder, 'latchkey'), join(folder, 'files')]
    git(root, 'clone', '--quiet', '--shared', '--no-checkout', root, clone)
    git(clone, 'checkout', '--quiet', '--detach', git(root, 'rev-parse', `${at}^{commit}`))
    for (const modules of globSync(['node_modules', 'packages/*/node_modules'], { cwd: root })) {
      linkFolder(join(root, modules), join(clone, modules))
    }
    mkdirSync(into)
    return use(clone, into)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Files and not the folder are linked: bundles name the places of files, and those must be the same everywhere. */
function linkFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    // npm's links to packages of the workspace are relative, and so lead to those of the clone.
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else if (entry.isDirectory()) linkFolder(source, target)
    else linkFile(source, target)
  }
}

/** Temporary folders can be on a disk of their own, which no link crosses. */
function linkFile(source: string, target: string): void {
  try {
    linkSync(source, target)
  } catch {
    copyFileSync(source, target)
  }
}
