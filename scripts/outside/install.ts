/** Makes a project in an empty folder: its files, and from npm what it depends on, our packages from their tarballs. */

import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Tarball } from '../pack.ts'
import { root } from '../packages/packages.ts'
import type { Machine } from './machine.ts'
import { start } from './run.ts'

/** Says what is missing here: neither this machine nor npm's cache nor the network has it. */
export class Missing extends Error {}

const options = [
  '--ignore-scripts',
  '--engine-strict',
  '--omit-lockfile-registry-resolved',
  ...['--no-audit', '--no-fund', '--fetch-retries=1', '--loglevel=error'],
]

const unreachable =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT|E50\d)\b/

export const lockfile: string = join(root, 'outside/package-lock.json')

/** On the project's oldest Node, of which npm is strict: no dependency may want a newer one. */
export async function install(
  project: string,
  folder: string,
  { machine, tarballs }: { machine: Machine; tarballs: readonly Tarball[] },
): Promise<void> {
  cpSync(join(root, 'outside', project), folder, { recursive: true })
  cpSync(lockfile, join(folder, 'package-lock.json'))
  const file = join(folder, 'package.json')
  const asWritten: Manifest = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify(fromTarballs(asWritten, tarballs)))
  const { env, node, npm } = machine
  const { code, stderr } = await start(node, [npm, 'install', ...options], { cwd: folder, env })
    .ended
  const [reason] = (code !== 0 && unreachable.exec(stderr)) || []
  if (reason !== undefined) throw new Missing(`npm cannot fetch what ${project} needs (${reason})`)
  if (code !== 0) throw new Error(`${project} cannot be installed: ${stderr}`)
  const loose = unpinned(integritiesIn(join(folder, 'package-lock.json')))
  if (loose.length > 0) {
    throw new Error(
      `outside/package-lock.json does not pin ${loose.join(', ')}: npm run outside -- --pin`,
    )
  }
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
}

/** Until they are published npm must be told where our packages are, also those that only our packages need. */
function fromTarballs(manifest: Manifest, tarballs: readonly Tarball[]): object {
  const files = tarballs.map(({ name, file }) => [name, `file:${file}`] as const)
  const isOwn = ([name]: readonly [string, string]) => name in manifest.dependencies
  return {
    ...manifest,
    dependencies: { ...manifest.dependencies, ...Object.fromEntries(files.filter(isOwn)) },
    overrides: Object.fromEntries(files.filter((each) => !isOwn(each))),
  }
}

interface Lockfile {
  readonly packages: Readonly<Record<string, { integrity?: string; resolved?: string }>>
}

/** What came from the registry, by its place. */
function integritiesIn(file: string): readonly (readonly [place: string, integrity: string])[] {
  const { packages }: Lockfile = JSON.parse(readFileSync(file, 'utf8'))
  return Object.entries(packages).flatMap(([place, { integrity, resolved = '' }]) =>
    integrity === undefined || resolved.startsWith('file:') ? [] : [[place, integrity] as const],
  )
}

function unpinned(installed: ReturnType<typeof integritiesIn>): readonly string[] {
  const pinned = new Set(integritiesIn(lockfile).map(([, integrity]) => integrity))
  return installed.flatMap(([place, integrity]) => (pinned.has(integrity) ? [] : [place]))
}
