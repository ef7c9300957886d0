/** A PostgreSQL database for a service: its settings, its connections, reading, changing and migrating. */

export { DatabaseBusy, DatabaseUnavailable } from '../machine/errors.ts'
export type { NamedQuery } from './ask.ts'
export { carriesPassword, isPostgresUrl, withoutPassword } from './connection-url.ts'
export { explainPostgres } from './explain-postgres.ts'
export type { InspectedRights, RightsProblem } from './inspect-rights.ts'
export {
  type FoundSchema,
  type InspectedSchema,
  type InspectedServer,
  inspectSchema,
  inspectServer,
} from './inspect-schema.ts'
export {
  type ListenOptions,
  listenPostgres,
  type NotificationListener,
  tryNotification,
} from './listen-postgres.ts'
export {
  type MigrationOptions,
  type MigrationResult,
  migratePostgres,
  pendingSql,
} from './migrate-postgres.ts'
export {
  type GuardedDatabase,
  openPostgres,
  type PostgresDatabase,
  type PostgresOptions,
} from './open-postgres.ts'
export type { ExpectedServer, ServerGuard } from './server-guard.ts'
export {
  type PostgresEnvironment,
  type PostgresSettings,
  placeOf,
  readPostgresSettings,
} from './settings.ts'
export { type TlsMode, type TlsSettings, tlsModes } from './tls-settings.ts'
export { reconnectWaitMs, waitUntilBack } from './wait-until-back.ts'
