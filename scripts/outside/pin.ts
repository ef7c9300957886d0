/** Writes the lockfile of all projects below `outside/`: what they and our packages need, each pinned by its hash. */

import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderOf, packages, root } from '../packages/packages.ts'
import { run } from '../tools/run.ts'
import { lockfile } from './install.ts'

type Kind = 'dependencies' | 'devDependencies' | 'optionalDependencies'

/** All that the projects and our packages name. */
export function wanted() {
  const projects = globSync('outside/*/package.json', { cwd: root }).map((file) => join(root, file))
  const published = packages.map((name) => join(folderOf(name), 'package.json'))
  return {
    name: 'outside',
    dependencies: {
      ...needed(projects, 'dependencies'),
      ...needed(projects, 'devDependencies'),
      ...needed(published, 'dependencies'),
    },
    optionalDependencies: needed(published, 'optionalDependencies'),
  }
}

export async function pin(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-pin-'))
  try {
    writeFileSync(join(folder, 'package.json'), JSON.stringify(wanted()))
    const words = ['--package-lock-only', '--ignore-scripts', '--omit-lockfile-registry-resolved']
    const isDone = await run('npm', ['install', ...words], { cwd: folder })
    if (!isDone) throw new Error('npm has written no lockfile')
    copyFileSync(join(folder, 'package-lock.json'), lockfile)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** All but our own packages. */
function needed(manifests: readonly string[], kind: Kind): Readonly<Record<string, string>> {
  const all = manifests.flatMap((file) =>
    Object.entries<string>(JSON.parse(readFileSync(file, 'utf8'))[kind] ?? {}),
  )
  return Object.fromEntries(all.filter(([name]) => !name.startsWith('@latchkey/')))
}
