/** The storage's schema in PostgreSQL, and the command that brings it to this program's version. */

import {
  type MigrationOptions,
  type MigrationResult,
  migratePostgres,
  type PostgresSettings,
  pendingSql,
} from '@latchkey/service/postgres'
import { migrations } from './migrations/migrations.ts'
import { storageSchema as schema } from './schema-name.ts'

const command = 'latchkey migrate --only storage'

export function migratePostgresCatalog(settings: PostgresSettings): Promise<MigrationResult> {
  return migratePostgres(optionsFor(settings))
}

/** Empty where there is nothing to do. Changes nothing. */
export function pendingPostgresCatalog(settings: PostgresSettings): Promise<string> {
  return pendingSql(optionsFor(settings))
}

function optionsFor(settings: PostgresSettings): MigrationOptions {
  return { settings, schema, migrations, command }
}
