/** The storage's schema in PostgreSQL, and the command that brings it to this program's version. */

import {
  type MigrationResult,
  migratePostgres,
  type PostgresSettings,
  pendingSql,
} from '@latchkey/service/postgres'
import { migrations } from './migrations/migrations.ts'
import { storageSchema as schema } from './schema-name.ts'

export const migrating = { schema, migrations, command: 'latchkey migrate --only storage' } as const

export function migratePostgresCatalog(settings: PostgresSettings): Promise<MigrationResult> {
  return migratePostgres({ settings, ...migrating })
}

/** Empty where there is nothing to do. Changes nothing. */
export function pendingPostgresCatalog(settings: PostgresSettings): Promise<string> {
  return pendingSql({ settings, ...migrating })
}
