/** The hub of an installation, for its checks. */

import type { DatabaseAnswer } from '@latchkey/service/checks'
import type { HubSettings } from '../start/settings.ts'
import type { InspectedPostgres } from '../stores/postgres/inspect-store.ts'

export interface HubInstallation {
  readonly settings: HubSettings
  readonly databaseKind: 'sqlite' | 'postgres'
  /** The file of an SQLite database; empty for PostgreSQL. */
  readonly file: string
  /** Names of files in the data directory that hold keys of other parts. */
  readonly otherKeyFiles: readonly string[]
  /** Tokens are refused where clocks are further apart. */
  readonly leewaySeconds: number
  /** By this machine's clock, in milliseconds since 1970. */
  readonly nowMs: () => number
  /** Whether a hub answers at the address of these settings. */
  readonly isRunning: () => Promise<boolean>
  /** Of a PostgreSQL, once for all checks. */
  readonly database: () => Promise<DatabaseAnswer<InspectedPostgres>>
}
