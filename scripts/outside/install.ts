/** Makes a project in an empty folder: its files, our packages from their tarballs, and from npm what both need. */

import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../packages/packages.ts'
import type { Cell } from './cells.ts'
import { installCommand } from './documented.ts'
import type { Machine } from './machine.ts'
import { type Surroundings, start } from './run.ts'

/** Says what is missing here: neither this machine nor npm's cache nor the network has it. */
export class Missing extends Error {}

/** No dependency may want a newer Node than the one that runs npm. */
const settings = {
  npm_config_ignore_scripts: 'true',
  npm_config_engine_strict: 'true',
  npm_config_omit_lockfile_registry_resolved: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_fetch_retries: '1',
  npm_config_loglevel: 'error',
}

const unreachable =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT|E50\d)\b/

export const lockfile: string = join(root, 'outside/package-lock.json')

/** By the command of the documents, in a folder beside the tarballs. `prepare` gets the folder before npm does. */
export async function install(
  project: Cell['project'],
  cwd: string,
  { env }: Machine,
  prepare: (folder: string) => void = () => {},
): Promise<void> {
  cpSync(join(root, 'outside', project), cwd, { recursive: true })
  cpSync(lockfile, join(cwd, 'package-lock.json'))
  prepare(cwd)
  await npmInstall(installCommand(project), { cwd, env })
  const loose = unpinned(integritiesIn(join(cwd, 'package-lock.json')))
  if (loose.length > 0) {
    throw new Error(
      `outside/package-lock.json does not pin ${loose.join(', ')}: npm run outside -- --pin`,
    )
  }
}

/** The whole command, as it would be typed. */
export async function npmInstall(command: string, { cwd, env }: Surroundings): Promise<void> {
  const { code, stderr } = await start('bash', ['-c', command], {
    cwd,
    env: { ...env, ...settings },
  }).ended
  const [reason] = (code !== 0 && unreachable.exec(stderr)) || []
  if (reason !== undefined) throw new Missing(`npm cannot fetch what it needs (${reason})`)
  if (code !== 0) throw new Error(`${command}: ${stderr}`)
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
