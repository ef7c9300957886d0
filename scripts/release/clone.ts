/** A copy of what is committed, in which a release is made: what is built there holds nothing else, and the tree stays as it is. */

import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { git } from './git.ts'

/** `at` is a tag or a commit. Both folders are gone when `use` is done; `into` is empty. */
export function inClone<T>(root: string, at: string, use: (clone: string, into: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-release-'))
  try {
    const [clone, into] = [join(folder, 'latchkey'), join(folder, 'files')]
    git(root, 'clone', '--quiet', '--shared', '--no-checkout', root, clone)
    git(clone, 'checkout', '--quiet', '--detach', git(root, 'rev-parse', `${at}^{commit}`))
    linkModules(join(root, 'node_modules'), join(clone, 'node_modules'))
    mkdirSync(into)
    return use(clone, into)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The same dependencies, but the packages of the clone itself in place of those of the tree. */
function linkModules(from: string, to: string): void {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    // npm's links to packages of the workspace are relative, and so lead into the clone.
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else if (entry.name.startsWith('@') || entry.name === '.bin') linkModules(source, target)
    else if (entry.isDirectory() && !entry.name.startsWith('.'))
      symlinkSync(resolve(source), target)
  }
}
