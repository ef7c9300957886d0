/** Makes the tarballs that npm gets. */

import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from './build.ts'
import type { Files } from './bundle-files.ts'
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
export async function packAll(into: string, command?: Files): Promise<readonly Tarball[]> {
  await build(command)
  mkdirSync(into, { recursive: true })
  const packed = pack(into)
  return packages.map((name) => tarballOf(name, into, packed))
}

interface Packed {
  readonly name: string
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

/** All at once: npm takes half a second to start. */
function pack(into: string): readonly Packed[] {
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', into]
  const { status, stdout, stderr } = spawnSync('npm', [...words, ...packages.map(folderOf)], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`npm has not packed the packages: ${stderr}`)
  return JSON.parse(stdout)
}

function tarballOf(name: string, into: string, all: readonly Packed[]): Tarball {
  const manifest = JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8'))
  const packed = all.find((one) => one.name === manifest.name)
  if (packed === undefined) throw new Error(`npm has not packed ${name}`)
  return {
    name: packed.name,
    file: resolve(into, packed.filename),
    bytes: packed.size,
    files: packed.files.map(({ path }) => path),
  }
}

if (import.meta.main) {
  const into = resolve(process.argv[2] ?? join(root, 'dist'))
  for (const { file, bytes } of await packAll(into)) console.log(`${bytes} ${file}`)
}
