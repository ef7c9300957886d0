/** A bounded number of connections to one server, each checked before its first use. */

import type { Client, ClientConfig } from 'pg'
import pg from 'pg'
import readPasswordFile from 'pgpass'
import { ask } from './ask.ts'
import { NoConnection, NoPassword, OtherServer, stateOf } from './postgres-error.ts'
import { type PostgresSettings, usualSocketFolder } from './settings.ts'
import { connectionOptions, type TlsMode } from './tls-settings.ts'

/** The oldest supported version of a server. */
const oldestServer = 14

const question = `SELECT pg_backend_pid() AS process,
  current_setting('server_version_num') AS version,
  current_setting('server_encoding') AS stored,
  current_setting('client_encoding') AS sent`

interface ServerFacts {
  /** Then a connection's session is not ours, and prepared statements may be another's. */
  readonly isPooled: boolean
}

async function checkServer(client: Client, deadlineMs: number): Promise<ServerFacts> {
  const { rows } = await ask(client, question, deadlineMs)
  const { process, version, stored, sent } = rows[0] ?? {}
  refuseOld(Number(version))
  refuseEncoding([stored, sent])
  // A pooler invents the process id that it tells a client.
  const isPooled = (client as { processID?: unknown }).processID !== process
  if (!isPooled) await ask(client, withoutCompiling, deadlineMs)
  return { isPooled }
}

/** By its own estimate of new tables, a server compiles a statement of a millisecond for 200 of them, at every execution. */
const withoutCompiling = 'SET jit = off'

function refuseOld(version: number): void {
  const major = Math.floor(version / 10_000)
  if (major >= oldestServer) return
  throw new OtherServer(
    `it is PostgreSQL ${major}, and Latchkey needs ${oldestServer} or newer. Upgrade it.`,
  )
}

function refuseEncoding(encodings: readonly unknown[]): void {
  const other = encodings.find((encoding) => encoding !== 'UTF8')
  if (other === undefined) return
  throw new OtherServer(
    `its encoding is ${other}. Create the database with ENCODING 'UTF8', and remove the setting client_encoding.`,
  )
}

interface ConnectionsOptions {
  /** The caller takes no more than these at a time: for the driver's pool, waiting looks like a server that does not answer. */
  readonly most: number
  readonly deadlineMs: number
}

export interface Connections {
  take(): Promise<pg.PoolClient>
  /** Known after the first connection. */
  isPooled(): boolean
  /** Connections of before are closed instead of used. */
  renew(): void
  close(): Promise<void>
}

const idleMs = 60_000

export function connections(
  settings: PostgresSettings,
  { most, deadlineMs }: ConnectionsOptions,
): Connections {
  const tls = encryption(settings.tls.mode)
  let isPooled = true
  let closed: Promise<void> | undefined
  let generation = 0
  const generations = new WeakMap<pg.PoolClient, number>()
  const pool = new pg.Pool({
    max: most,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    idleTimeoutMillis: idleMs,
    Client: clientClass(() => clientConfig(settings, tls.isOn())),
    onConnect: async (client) => {
      ;({ isPooled } = await checkServer(client as pg.Client, deadlineMs))
    },
  } as pg.PoolConfig)
  // The pool has dropped the connection already; the next question makes a new one.
  pool.on('error', () => {})
  pool.on('connect', (client) => generations.set(client, generation))
  const connectEitherWay = async () => {
    const encrypted = tls.isOn()
    try {
      return await pool.connect()
    } catch (error) {
      if (!tls.changesAfter(error, encrypted)) throw error
      return await pool.connect()
    }
  }
  const takeCurrent = async () => {
    for (;;) {
      const client = await connectEitherWay()
      if ((generations.get(client) ?? generation) === generation) return client
      client.release(true)
    }
  }
  return {
    take: () =>
      takeCurrent().catch((error: unknown) => {
        throw new NoConnection(error)
      }),
    isPooled: () => isPooled,
    renew() {
      generation += 1
    },
    close() {
      closed ??= pool.end()
      return closed
    },
  }
}

/** The pool makes its clients itself; each gets the settings of its moment. */
function clientClass(config: () => pg.ClientConfig): typeof pg.Client {
  return class extends pg.Client {
    constructor() {
      super(config())
      // A connection can break between two questions of a transaction: the next question tells.
      this.on('error', () => {})
      // The driver leaves it open after a login that failed on our side, and the server waits for us.
      this.connection.on('error', () => this.connection.stream.destroy())
    }
  }
}

/** Whether the next connection is encrypted, where `sslmode` leaves it to the server. */
interface Encryption {
  isOn(): boolean
  /** True if the other way is worth a try, which is then taken from now on. */
  changesAfter(error: unknown, triedEncrypted: boolean): boolean
}

function encryption(mode: TlsMode): Encryption {
  let isOn = mode !== 'disable' && mode !== 'allow'
  return {
    isOn: () => isOn,
    changesAfter(error, triedEncrypted) {
      const next = otherWay(mode, error, triedEncrypted)
      if (next === undefined) return false
      isOn = next
      return true
    },
  }
}

function otherWay(mode: TlsMode, error: unknown, triedEncrypted: boolean): boolean | undefined {
  // `prefer` gives encryption up only where the server has none: not after a failed handshake.
  if (mode === 'prefer' && triedEncrypted && isWithoutTls(error)) return false
  if (mode === 'allow' && !triedEncrypted && stateOf(error) === '28000') return true
  return undefined
}

function isWithoutTls(error: unknown): boolean {
  return error instanceof Error && /does not support SSL/.test(error.message)
}

type Parse = (text: string) => unknown

const parsers: Readonly<Record<number, Parse>> = {
  [pg.types.builtins.BOOL]: (text) => (text === 't' ? 1 : 0),
  [pg.types.builtins.BYTEA]: bytes,
  [pg.types.builtins.INT8]: exactNumber,
  [pg.types.builtins.JSON]: (text) => text,
  [pg.types.builtins.JSONB]: (text) => text,
  [pg.types.builtins.NUMERIC]: Number,
}

/** Values of PostgreSQL as rows of SQLite have them: numbers for booleans, text for JSON. */
const typeParsers = {
  getTypeParser: (type: number, format?: 'text' | 'binary'): Parse =>
    (format === 'binary' ? undefined : parsers[type]) ?? pg.types.getTypeParser(type, 'text'),
}

/** A number that JavaScript would round is an error rather than another number. */
function exactNumber(text: string): number {
  const number = Number(text)
  if (Number.isSafeInteger(number)) return number
  throw new RangeError(`the number ${text} is too large to be read exactly`)
}

function bytes(text: string): Uint8Array {
  return Uint8Array.from(pg.types.getTypeParser(pg.types.builtins.BYTEA, 'text')(text))
}

/** After so long without a word the system asks whether the other side still lives. */
const keepAliveMs = 10_000

/** Sets nothing in the session: a pooler would refuse it, or give it to another client. */
function clientConfig(settings: PostgresSettings, encrypted: boolean): ClientConfig {
  const { host, port, user, database, applicationName, connectTimeoutMs, tls } = settings
  return {
    ...{ host, port, user, database },
    password: () => findPassword(settings),
    ssl: encrypted ? connectionOptions(tls) : false,
    sslnegotiation: 'postgres',
    application_name: applicationName,
    client_encoding: 'utf8',
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    types: typeParsers as NonNullable<ClientConfig['types']>,
  }
}

/** The driver asks for it when the server wants a password. */
async function findPassword(settings: PostgresSettings): Promise<string> {
  const password = settings.password?.reveal() ?? (await passwordInFile(settings))
  if (password === undefined) throw new NoPassword()
  return password
}

/** In the file that PGPASSFILE names, or in `~/.pgpass`. There the usual socket is called localhost, as for libpq. */
function passwordInFile({ host, ...login }: PostgresSettings): Promise<string | undefined> {
  const { port, database, user } = login
  const name = host === usualSocketFolder ? 'localhost' : host
  return new Promise((resolve) => readPasswordFile({ host: name, port, database, user }, resolve))
}
