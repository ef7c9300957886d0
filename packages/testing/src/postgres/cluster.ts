/** A real PostgreSQL of a test's own: a throw-away cluster on a Unix socket and a loopback port. */

import { randomBytes } from 'node:crypto'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { askTestRun } from '../machine/ask-test-run.ts'
import { freePort } from '../machine/free-port.ts'
import { type GuardedFolder, guardedFolder } from '../machine/guarded-folder.ts'
import { handOver, runUnprivileged } from '../machine/run-unprivileged.ts'
import type { KeyedCertificate } from '../tls/certificates.ts'
import { runStatements } from './run-statements.ts'
import { makeTemplate, postgresProgram, superuser, type Template, verifierOf } from './template.ts'

/** `immediate` is a crash: recovery follows. */
export type StopMode = 'fast' | 'immediate'

/** What a client needs to know. */
export interface Address {
  readonly port: number
  readonly password: string
  /** The folder of the Unix socket. */
  readonly socketFolder: string
  /** A new database is a copy of files, not of logged pages: half of the work, but for a disk that each must reach. */
  readonly copiesFiles?: boolean
}

export interface Databases extends Address {
  /** Over TCP. A role is the superuser or one of `createRole`. */
  url(database?: string, role?: string): string
  /** Runs statements as the superuser; gives the rows, a line each, the columns between `|`. */
  sql(text: string, database?: string): Promise<string>
  /** Gives its name. `more` is the rest of the statement: an owner, a template, a collation. */
  createDatabase(more?: string): Promise<string>
  dropDatabase(name: string): Promise<void>
  /** One that can log in and has no other right. */
  createRole(name: string): Promise<void>
}

export interface Cluster extends Databases {
  readonly folder: string
  /** What the server has logged. */
  log(): string
  start(): Promise<void>
  /** The data stay. */
  stop(mode?: StopMode): Promise<void>
  restart(mode?: StopMode): Promise<void>
  /** Ends it at once and removes everything. */
  kill(): Promise<void>
}

export interface ClusterOptions {
  /** As in postgresql.conf; `fsync` is on if it is not turned off here. */
  readonly settings?: Readonly<Record<string, string>>
  /** With a certificate, connections over TCP need TLS. */
  readonly tls?: KeyedCertificate
  /** Clusters of one run of the tests are copies of one another, unless this asks for a system identifier of its own. */
  readonly isUnique?: boolean
}

export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { isUnique = false } = options
  const template = isUnique ? undefined : await askTestRun<Template>('template')
  return startFrom(template, options)
}

/** Without a template, the cluster is made from nothing. */
export async function startFrom(
  template: Template | undefined,
  { settings = {}, tls }: ClusterOptions,
): Promise<Cluster> {
  return startServer(async ({ path, data }) => {
    const { password } = template ?? (await makeTemplate(path))
    if (template) await runUnprivileged('cp', ['-a', template.data, data], { cwd: path })
    if (tls) requireTls(data, tls)
    return { password, settings: { ...settings, ...(tls && { ssl: 'on' }) } }
  })
}

interface Prepared {
  readonly password: string
  readonly settings: Readonly<Record<string, string>>
}

type Prepare = (folder: { path: string; data: string }) => Promise<Prepared>

/** Starts a server in the data directory that `prepare` makes, and leaves nothing behind if that fails. */
export async function startServer(prepare: Prepare): Promise<Cluster> {
  const folder = guardedFolder({ pidFile: 'data/postmaster.pid', signal: 'SIGQUIT' })
  try {
    const data = join(folder.path, 'data')
    const { password, settings } = await prepare({ path: folder.path, data })
    const port = await startOnFreePort(folder.path, settings)
    return clusterIn(folder, { port, password, socketFolder: folder.path })
  } catch (error) {
    await folder.remove()
    throw error
  }
}

function clusterIn(folder: GuardedFolder, address: Address): Cluster {
  const control = (...args: readonly string[]) => controlServer(folder.path, ...args)
  return {
    ...databasesAt(address),
    folder: folder.path,
    log: () => readFileSync(join(folder.path, 'log'), 'utf8'),
    start: () => control('start'),
    stop: (mode = 'fast') => control('stop', '--mode', mode),
    restart: (mode = 'fast') => control('restart', '--mode', mode),
    kill: () => folder.remove(),
  }
}

export function databasesAt(address: Address): Databases {
  const { port, password, socketFolder, copiesFiles = false } = address
  const sql = (text: string, database = 'postgres') =>
    runStatements(text, { host: socketFolder, port, user: superuser, database })
  return {
    ...address,
    url: (database = 'postgres', role = superuser) =>
      `postgres://${role}:${password}@127.0.0.1:${port}/${database}`,
    sql,
    async createDatabase(more = '') {
      const name = `test_${randomBytes(6).toString('hex')}`
      await sql(`create database ${name} ${more} ${copiesFiles ? 'strategy file_copy' : ''}`)
      return name
    },
    async dropDatabase(name) {
      await sql(`drop database if exists ${name} with (force)`)
    },
    async createRole(name) {
      await sql(`create role ${name} login password '${verifierOf(password)}'`)
    },
  }
}

/** Another process may take a free port before the server does. */
async function startOnFreePort(
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<number> {
  for (let left = 4; ; left -= 1) {
    const port = await freePort()
    writeSettings(folder, { ...settings, port: `${port}` })
    try {
      await controlServer(folder, 'start')
      return port
    } catch (error) {
      const log = readFileSync(join(folder, 'log'), 'utf8')
      if (left === 0 || !log.includes('Address already in use'))
        throw new Error(log, { cause: error })
    }
  }
}

/** Of two lines for one setting, the later one counts. */
function writeSettings(folder: string, settings: Readonly<Record<string, string>>): void {
  const all = { listen_addresses: '127.0.0.1', unix_socket_directories: folder, ...settings }
  const lines = Object.entries(all).map(
    ([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`,
  )
  appendFileSync(join(folder, 'data/postgresql.conf'), lines.join(''))
}

export async function controlServer(folder: string, ...args: readonly string[]): Promise<void> {
  const common = ['--pgdata', join(folder, 'data'), '--log', join(folder, 'log')]
  // Recovery beside other load may take long.
  const patience = ['--wait', '--timeout', '170', '--silent']
  await runUnprivileged(postgresProgram('pg_ctl'), [...args, ...common, ...patience], {
    cwd: folder,
  })
}

function requireTls(data: string, { cert, key }: KeyedCertificate): void {
  for (const [name, text] of Object.entries({ 'server.crt': cert, 'server.key': key })) {
    writeFileSync(join(data, name), text, { mode: 0o600 })
    handOver(join(data, name))
  }
  const rules = join(data, 'pg_hba.conf')
  writeFileSync(rules, readFileSync(rules, 'utf8').replaceAll(/^host(?=\s)/gm, 'hostssl'))
}
