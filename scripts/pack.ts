/** Makes the tarballs that npm gets. */

import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from './build.ts'
import { folderOf, packages, root } from './packages/packages.ts'

export interface Tarball {
  /** As people install it: `@latchkey/gate`. */
  readonly name: string
  readonly file: string
  readonly bytes: number
  /** The paths in it. */
  readonly files: readonly string[]
}

/** Builds first. */
export async function packAll(into: string): Promise<readonly Tarball[]> {
  await build()
  mkdirSync(into, { recursive: true })
  return packages.map((name) => pack(name, into))
}

interface Packed {
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

function pack(name: string, into: string): Tarball {
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', into]
  const { stdout, stderr } = spawnSync('npm', words, { cwd: folderOf(name), encoding: 'utf8' })
  const [packed]: readonly Packed[] = JSON.parse(stdout || '[]')
  if (packed === undefined) throw new Error(`npm has not packed ${name}: ${stderr}`)
  const { name: installed } = JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8'))
  return {
    name: installed,
    file: resolve(into, packed.filename),
    bytes: packed.size,
    files: packed.files.map(({ path }) => path),
  }
}

if (import.meta.main) {
  const into = resolve(process.argv[2] ?? join(root, 'dist'))
  for (const { file, bytes } of await packAll(into)) console.log(`${bytes} ${file}`)
}
