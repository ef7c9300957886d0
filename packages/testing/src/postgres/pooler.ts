/** A pgbouncer in transaction mode before a test's cluster. */

import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort, isListening } from '../machine/free-port.ts'
import { guardedFolder } from '../machine/guarded-folder.ts'
import { handOver, unprivileged } from '../machine/run-unprivileged.ts'
import { findPgbouncer } from '../tools/postgres-programs.ts'
import type { Databases } from './cluster.ts'
import { superuser } from './template.ts'
import { throughPort } from './through-port.ts'

export interface Pooler {
  readonly folder: string
  readonly port: number
  /** As of the cluster, through the pooler. */
  url(database?: string, role?: string): string
  log(): string
  kill(): Promise<void>
}

/** `settings` as in pgbouncer.ini. */
export async function startPooler(
  cluster: Databases,
  settings: Readonly<Record<string, string>> = {},
): Promise<Pooler> {
  const program = findPgbouncer()
  if (program === undefined) throw new Error('pgbouncer is not installed')
  const folder = guardedFolder({ pidFile: 'pid', signal: 'SIGTERM' })
  try {
    const port = await freePort()
    writeFiles(folder.path, cluster, { listen_port: `${port}`, ...settings })
    const child = spawn(program, ['--quiet', join(folder.path, 'pgbouncer.ini')], {
      cwd: folder.path,
      env: { HOME: folder.path },
      detached: true,
      stdio: 'ignore',
      ...unprivileged,
    })
    child.unref()
    const log = () => readFileSync(join(folder.path, 'log'), 'utf8')
    while (!(await isListening(port))) {
      if (child.exitCode !== null) throw new Error(`pgbouncer did not start: ${log()}`)
      await setTimeout(20)
    }
    return {
      folder: folder.path,
      port,
      url: (database, role) => throughPort(cluster.url(database, role), port),
      log,
      kill: () => folder.remove(),
    }
  } catch (error) {
    await folder.remove()
    throw error
  }
}

function writeFiles(
  folder: string,
  { port, password }: Databases,
  settings: Readonly<Record<string, string>>,
): void {
  const all = {
    listen_addr: '127.0.0.1',
    unix_socket_dir: '',
    pool_mode: 'transaction',
    auth_type: 'scram-sha-256',
    auth_file: join(folder, 'users'),
    // Roles that come later are looked up.
    auth_user: superuser,
    auth_query: 'select usename, passwd from pg_shadow where usename = $1',
    admin_users: superuser,
    logfile: join(folder, 'log'),
    pidfile: join(folder, 'pid'),
    ...settings,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`)
  const databases = ['[databases]', `* = host=127.0.0.1 port=${port}`]
  const files = {
    users: `"${superuser}" "${password}"\n`,
    'pgbouncer.ini': [...databases, '[pgbouncer]', ...lines, ''].join('\n'),
  }
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text, { mode: 0o600 })
    handOver(join(folder, name))
  }
}
