/** What a server says of itself to an operator: its settings, its replicas, its clock, which server it is. */

import type { PostgresDatabase } from './open-postgres.ts'

export interface InspectedServer {
  /** As the server writes it: `15.8 (Debian …)`. */
  readonly version: string
  readonly isReplica: 0 | 1
  /** Of the connection, quoted as SQL has it. */
  readonly role: string
  readonly fsync: string
  readonly fullPageWrites: string
  /** The server's own setting; transactions of ours ask for `on`. */
  readonly synchronousCommit: string
  /** Of the connection: a hub turns it off by itself, except behind a pooler. */
  readonly jit: string
  /** Empty where no commit waits for a standby. */
  readonly synchronousStandbys: string
  /** Connected now. */
  readonly replicas: number
  /** By the clock of the server, in milliseconds since 1970. */
  readonly nowMs: number
  readonly systemIdentifier: string
  /** Null for a replica. */
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
  floor(extract(epoch FROM clock_timestamp()) * 1000) AS "nowMs",
  (SELECT system_identifier::text FROM pg_control_system()) AS "systemIdentifier",
  CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline`

export async function inspectServer({
  query,
}: Pick<PostgresDatabase<unknown>, 'query'>): Promise<InspectedServer> {
  const [server] = await query<InspectedServer>({ name: 'latchkey_inspect_server', text })
  if (server === undefined) throw new Error('a question without an answer')
  return server
}
