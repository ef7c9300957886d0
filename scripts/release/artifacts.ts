/** The files of a release: a tarball for each package, the wheel for Python, the bill of materials, and the sums of all. */

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { releaseDate } from './changelog.ts'
import { keepNeeded } from './keep-needed.ts'
import { readWorkspace, releasedPackages } from './manifests.ts'
import { npmOffline } from './npm.ts'
import { type Sbom, settleSbom, type Tarball } from './sbom.ts'
import type { Version } from './version.ts'
import { makeWheel } from './wheel.ts'

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

/** Depends on nothing but the files of `clone`, the Node and npm that run, and the pinned programs for Python. */
export function makeArtifacts(clone: string, version: Version, into: string): Artifacts {
  const date = releaseDate(readFileSync(join(clone, 'CHANGELOG.md'), 'utf8'), version)
  if (date === undefined) throw new Error(`CHANGELOG.md does not say when ${version} was released`)
  npmOffline(clone, 'run', 'pack:all', '--', into)
  const tarballs = readTarballs(into)
  const sbom = settleSbom(listNeeds(clone), tarballs, date)
  writeFileSync(join(into, sbomFile), `${JSON.stringify(sbom, undefined, 2)}\n`)
  const wheel = makeWheel(clone, date, into)
  const names = tarballs.map(({ filename }) => filename)
  const sums = sumsOf(into, [...names, ...(wheel === undefined ? [] : [wheel]), sbomFile])
  writeFileSync(join(into, sumsFile), sums)
  return { tarballs, sbom, sums }
}

/** Read back from the tarballs, not from the output of the command that made them. */
function readTarballs(folder: string): readonly Packed[] {
  const files = readdirSync(folder).toSorted()
  const words = ['pack', '--dry-run', '--json', ...files.map((file) => `./${file}`)]
  const packed: Omit<Packed, 'sha256'>[] = JSON.parse(npmOffline(folder, ...words))
  return packed.map((tarball) => ({ ...tarball, sha256: sumOf(join(folder, tarball.filename)) }))
}

/** As npm lists it, of what is released alone. */
export function listNeeds(clone: string): Sbom {
  const workspace = readWorkspace(clone)
  const names = releasedPackages(workspace).map(({ name }) => name)
  const chosen = names.flatMap((name) => ['--workspace', name])
  const words = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', ...chosen]
  return keepNeeded(JSON.parse(npmOffline(clone, ...words)), names, workspace.lockfile.packages)
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

/** Files that are missing, or differ from their sum, or are needed and have none. */
export function spoiledFiles(
  folder: string,
  sums: string,
  needed: readonly string[],
): readonly string[] {
  const lines = sums.split('\n').filter((line) => line !== '')
  const given = new Map(lines.map((line) => line.split('  ').toReversed() as [string, string]))
  return Array.from(new Set([...given.keys(), ...needed])).filter((file) => {
    try {
      return sumOf(join(folder, file)) !== given.get(file)
    } catch {
      return true
    }
  })
}
