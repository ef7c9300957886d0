/** What a server says of itself to an operator: its settings, its replicas, its clock, which server it is. */

import type { PostgresDatabase } from './open-postgres.ts'
import { stateOf } from './postgres-error.ts'

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
