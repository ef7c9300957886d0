import type { Kysely } from 'kysely'
import { CannotStart, DatabaseBusy, DatabaseUnavailable } from '../machine/errors.ts'
import { explainPostgres } from './explain-postgres.ts'
import {
  type InspectedRights,
  inspectRights,
  type RightsProblem,
  rightsProblem,
} from './inspect-rights.ts'
import type { MigratedSchema } from './migrate-postgres.ts'
import { openPostgres, type PostgresDatabase } from './open-postgres.ts'
import { stateOf } from './postgres-error.ts'
import { type PostgresSettings, placeOf } from './settings.ts'

export interface InspectedSchema<Tables> {
  readonly schema: string
  /** The server and database in words for people. */
  readonly place: string
  /** The version that this program brings a schema to. */
  readonly newestVersion: number
  isPooled(): boolean
  server(): Promise<InspectedServer>
  rights(): Promise<InspectedRights & { readonly problem: RightsProblem | undefined }>
  found(): Promise<FoundSchema>
  /** Reads a schema of the newest version, also on a replica. */
  read<Result>(work: (tables: Kysely<Tables>) => Promise<Result>): Promise<Result>
  /** Errors are thrown as `CannotStart`, with the line for the operator. */
  ask<Result>(work: (database: PostgresDatabase<Tables>) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

export interface FoundSchema {
  /** Undefined where nothing says which version it has. */
  readonly version: number | undefined
  /** False where the role lacks a right. */
  readonly isReadable: boolean
  readonly tables: readonly string[]
  /** The object identifier of each table: a dump that was put back has others. */
  readonly oids: ReadonlyMap<string, string>
  /** Tables that a schema of this program's version has, and this one lacks. */
  readonly missingTables: readonly string[]
}

interface InspectOptions extends MigratedSchema {
  /** That the role may call: as `NeededRights` has them. */
  readonly functions?: readonly string[]
  readonly settings: PostgresSettings
}

/** Throws `CannotStart` where the server cannot be reached or used. */
export async function inspectSchema<Tables>({
  settings,
  schema,
  migrations,
  functions,
}: InspectOptions): Promise<InspectedSchema<Tables>> {
  const options = { settings, schema, connections: 2, primaryOnly: false }
  const database = await openPostgres<Tables>(options)
  const ask: InspectedSchema<Tables>['ask'] = (work) => explained(settings, () => work(database))
  return {
    schema,
    place: placeOf(settings),
    newestVersion: migrations.length,
    isPooled: database.isPooled,
    server: () => ask(inspectServer),
    async rights() {
      const needed = { schema, functions }
      const rights = await ask(({ query }) => inspectRights(query, needed))
      return { ...rights, problem: rightsProblem(rights, needed) }
    },
    found: () => ask((database) => findSchema(database, { schema, migrations })),
    read: (work) => ask((database) => database.read(work)),
    ask,
    close: database.close,
  }
}

interface TableRow {
  readonly name: string
  readonly oid: string
  readonly readable: 0 | 1
}

type Asked = Pick<PostgresDatabase<unknown>, 'query'>

async function findSchema(
  { query }: Asked,
  { schema, migrations }: MigratedSchema,
): Promise<FoundSchema> {
  const rows = await query<TableRow>({
    name: 'latchkey_inspect_tables',
    text: `SELECT relname::text AS name, pg_class.oid::text AS oid, has_schema_privilege(relnamespace, 'USAGE')
             AND has_table_privilege(pg_class.oid, 'SELECT') AS readable
           FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
           WHERE nspname = '${schema}' AND relkind IN ('r', 'p') ORDER BY 1`,
  })
  const tables = rows.map(({ name }) => name)
  const canRead = (table: string) =>
    rows.some(({ name, readable }) => name === table && readable === 1)
  return {
    version: canRead('schema_version') ? await versionIn({ query }, schema) : undefined,
    isReadable: rows.every(({ readable }) => readable === 1),
    tables,
    oids: new Map(rows.map(({ name, oid }) => [name, oid])),
    missingTables: madeTables(migrations).filter((name) => !tables.includes(name)),
  }
}

async function versionIn({ query }: Asked, schema: string): Promise<number | undefined> {
  const text = `SELECT version FROM ${schema}.schema_version`
  const [row] = await query<{ version: number }>({ name: 'latchkey_inspect_version', text })
  return row?.version
}

function madeTables(migrations: readonly string[]): readonly string[] {
  const script = migrations.join('\n')
  const named = (words: string) =>
    Array.from(script.matchAll(new RegExp(`^${words} (\\w+)`, 'gm')), ([, name = '']) => name)
  const dropped = named('DROP TABLE')
  return named('CREATE TABLE').filter((name) => !dropped.includes(name))
}

async function explained<Result>(
  settings: PostgresSettings,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof CannotStart) throw error
    const isTold = error instanceof DatabaseUnavailable || error instanceof DatabaseBusy
    throw new CannotStart(isTold ? error.message : explainPostgres(error, settings))
  }
}

export interface InspectedServer {
  /** As the server writes it: `15.8 (Debian …)`. */
  readonly version: string
  readonly isReplica: 0 | 1
  /** The role of the connection, quoted for SQL. */
  readonly role: string
  readonly fsync: string
  readonly fullPageWrites: string
  /** The server's own setting; transactions of ours ask for `on`. */
  readonly synchronousCommit: string
  /** The setting of the connection: a hub turns it off by itself, except behind a pooler. */
  readonly jit: string
  /** Empty where no commit waits for a standby. */
  readonly synchronousStandbys: string
  /** Connected now. */
  readonly replicas: number
  /** By the clock of the server, in milliseconds since 1970. */
  readonly nowMs: number
  /** Null where the role may not call the function that tells it. */
  readonly systemIdentifier: string | null
  /** Null for a replica, and where the role may not ask. */
  readonly timeline: string | null
}

const text = `SELECT current_setting('server_version') AS version,
  pg_is_in_recovery() AS "isReplica",
  quote_ident(current_user) AS role,
  current_setting('fsync') AS fsync,
  current_setting('full_page_writes') AS "fullPageWrites",
  current_setting('synchronous_commit') AS "synchronousCommit",
  current_setting('jit') AS jit,
  current_setting('synchronous_standby_names') AS "synchronousStandbys",
  (SELECT count(*) FROM pg_stat_replication) AS replicas,
  floor(extract(epoch FROM clock_timestamp()) * 1000) AS "nowMs"`

/** A role without the right to these functions is told so by the check of its rights. */
const identityText = `SELECT (SELECT system_identifier::text FROM pg_control_system()) AS "systemIdentifier",
  CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline`

type Identity = Pick<InspectedServer, 'systemIdentifier' | 'timeline'>

export async function inspectServer({
  query,
}: Pick<PostgresDatabase<unknown>, 'query'>): Promise<InspectedServer> {
  const name = 'latchkey_inspect_server'
  const [server] = await query<Omit<InspectedServer, keyof Identity>>({ name, text })
  const [identity] = await query<Identity>({ name: `${name}_identity`, text: identityText }).catch(
    (error: unknown) => {
      if (stateOf(error) === '42501') return [{ systemIdentifier: null, timeline: null }]
      throw error
    },
  )
  if (server === undefined || identity === undefined)
    throw new Error('a question without an answer')
  return { ...server, ...identity }
}
