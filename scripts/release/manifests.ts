/** The versions of all packages, in their manifests and in the lockfile: the same everywhere. */

import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pyproject, pythonVersion, writePythonVersion } from './python-version.ts'
import type { Version } from './version.ts'

const fields = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
] as const

export interface LockEntry
  extends Partial<Record<(typeof fields)[number], Record<string, string>>> {
  name?: string
  version?: string
  private?: boolean
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

export interface Manifest extends LockEntry {
  name: string
  version: string
  workspaces?: string[]
}

interface Lockfile extends LockEntry {
  packages: Record<string, LockEntry>
}

interface Workspace {
  /** By folder; the root's is ''. */
  readonly manifests: ReadonlyMap<string, Manifest>
  readonly lockfile: Lockfile
  readonly python: string | undefined
}

export function readWorkspace(root: string): Workspace {
  const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))
  const top: Manifest = read('package.json')
  const files = globSync(
    (top.workspaces ?? []).map((folder) => `${folder}/package.json`),
    {
      cwd: root,
    },
  )
  const folders = files.map((file) => file.slice(0, -'/package.json'.length)).toSorted()
  const below = folders.map((folder) => [folder, read(`${folder}/package.json`)] as const)
  return {
    manifests: new Map([['', top], ...below]),
    lockfile: read('package-lock.json'),
    python: pythonVersion(root),
  }
}

/** Packages that are released: all but the private ones. */
export function releasedPackages({ manifests }: Workspace): readonly Manifest[] {
  return [...manifests.values()].filter((manifest) => manifest.private !== true)
}

/** One line for each version that is not the root's. */
export function outOfStep(workspace: Workspace): readonly string[] {
  const { manifests, lockfile } = workspace
  const version = manifests.get('')?.version ?? ''
  const { python = version } = workspace
  const names = namesOf(workspace)
  const lines = [...manifests].flatMap(([folder, manifest]) => [
    ...strays(manifest, names, version).map((stray) => `${join(folder, 'package.json')}: ${stray}`),
    ...strays(lockfile.packages[folder] ?? {}, names, version).map(
      (stray) => `package-lock.json: ${folder || 'the root'}: ${stray}`,
    ),
  ])
  if (lockfile.version !== version) lines.unshift(`package-lock.json: ${lockfile.version}`)
  return python === version ? lines : [...lines, `${pyproject}: ${python}`]
}

/** The files that were written. */
export function writeVersion(root: string, version: Version): readonly string[] {
  const workspace = readWorkspace(root)
  const { manifests, lockfile } = workspace
  const names = namesOf(workspace)
  const write = (file: string, content: unknown) => {
    writeFileSync(join(root, file), `${JSON.stringify(content, undefined, 2)}\n`)
    return file
  }
  lockfile.version = version
  for (const folder of manifests.keys()) setVersion(lockfile.packages[folder] ?? {}, names, version)
  for (const manifest of manifests.values()) setVersion(manifest, names, version)
  const files = [...manifests].map(([folder, manifest]) =>
    write(join(folder, 'package.json'), manifest),
  )
  files.push(write('package-lock.json', lockfile))
  if (workspace.python === undefined) return files
  writePythonVersion(root, version)
  return [...files, pyproject]
}

function namesOf({ manifests }: Workspace): ReadonlySet<string> {
  return new Set(Array.from(manifests.values(), ({ name }) => name))
}

function strays(entry: LockEntry, names: ReadonlySet<string>, version: string): string[] {
  const ranges = fields.flatMap((field) => Object.entries(entry[field] ?? {}))
  const loose = ranges.filter(([name, range]) => names.has(name) && bare(range) !== version)
  const own = entry.version === version ? [] : [`${entry.version ?? 'no version'}`]
  return [...own, ...loose.map(([name, range]) => `${name} ${range}`)]
}

function setVersion(entry: LockEntry, names: ReadonlySet<string>, version: Version): void {
  entry.version = version
  for (const ranges of fields.map((field) => entry[field] ?? {})) {
    for (const [name, range] of Object.entries(ranges)) {
      if (names.has(name)) ranges[name] = range.replace(bare(range), version)
    }
  }
}

/** A range of one version without what stands before it. */
function bare(range: string): string {
  return range.replace(/^[\^~=]/, '')
}
