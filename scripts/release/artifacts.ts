/** The files of a release: a tarball for each package, the bill of materials, and the sums of both. */

import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { releaseDate } from './changelog.ts'
import { readWorkspace, releasedPackages } from './manifests.ts'
import { npmOffline } from './npm.ts'
import { type Sbom, settleSbom, type Tarball } from './sbom.ts'
import type { Version } from './version.ts'

export const sumsFile = 'SHA256SUMS'
export const sbomFile = 'sbom.cdx.json'

export interface Packed extends Tarball {
  readonly size: number
  readonly files: readonly { readonly path: string; readonly size: number }[]
}

export interface Artifacts {
  readonly tarballs: readonly Packed[]
  readonly sbom: Sbom
  readonly sums: string
}

/** Depends on nothing but the files of `clone`, and the Node and npm that run. */
export function makeArtifacts(clone: string, version: Version, into: string): Artifacts {
  const date = releaseDate(readFileSync(join(clone, 'CHANGELOG.md'), 'utf8'), version)
  if (date === undefined) throw new Error(`CHANGELOG.md does not say when ${version} was released`)
  npmOffline(clone, 'run', 'build', '--if-present')
  const names = releasedPackages(readWorkspace(clone)).flatMap(({ name }) => ['-w', name])
  const tarballs = pack(clone, names, into)
  const listed = npmOffline(clone, 'sbom', '--package-lock-only', '--omit=dev', ...format, ...names)
  const sbom = settleSbom(JSON.parse(listed), tarballs, date)
  writeFileSync(join(into, sbomFile), `${JSON.stringify(sbom, undefined, 2)}\n`)
  const sums = sumsOf(into, [...tarballs.map(({ filename }) => filename), sbomFile])
  writeFileSync(join(into, sumsFile), sums)
  return { tarballs, sbom, sums }
}

const format = ['--sbom-format', 'cyclonedx']

function pack(clone: string, names: readonly string[], into: string): readonly Packed[] {
  const words = ['--json', '--ignore-scripts', '--pack-destination', into]
  const packed: Omit<Packed, 'sha256'>[] = JSON.parse(npmOffline(clone, 'pack', ...words, ...names))
  return packed.map((tarball) => ({ ...tarball, sha256: sumOf(join(into, tarball.filename)) }))
}

/** As `sha256sum --check` reads it. */
function sumsOf(folder: string, files: readonly string[]): string {
  return files
    .toSorted()
    .map((file) => `${sumOf(join(folder, file))}  ${file}\n`)
    .join('')
}

export function sumOf(
  file: string,
  algorithm = 'sha256',
  encoding: 'hex' | 'base64' = 'hex',
): string {
  return createHash(algorithm).update(readFileSync(file)).digest(encoding)
}

/** Files that are missing or differ from their sum. */
export function spoiledFiles(folder: string, sums: string): readonly string[] {
  const lines = sums.split('\n').filter((line) => line !== '')
  return lines.flatMap((line) => {
    const [sum, file = ''] = line.split('  ')
    try {
      return sumOf(join(folder, file)) === sum ? [] : [file]
    } catch {
      return [file]
    }
  })
}
