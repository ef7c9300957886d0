/** The statements that bring a schema from its version to this program's. */

import { schemaName } from './schema-name.ts'

export interface Migrated {
  readonly schema: string
  /** Migration n brings the schema from version n to n + 1. */
  readonly migrations: readonly string[]
}

/** As the schema is found. */
export interface Found {
  readonly hasSchema: boolean
  readonly hasVersion: boolean
  readonly version: number
}

/** Empty where nothing is to be done. All of them run in one transaction. */
export function migrationScript({ schema, migrations }: Migrated, found: Found): readonly string[] {
  const name = schemaName(schema)
  if (found.version >= migrations.length) return []
  return [
    ...(found.hasSchema ? [] : [`CREATE SCHEMA ${name}`]),
    `SET LOCAL search_path = ${name}, pg_temp`,
    ...(found.hasVersion ? [] : versionTable),
    ...migrations.slice(found.version).map((text) => text.trim().replace(/;$/, '')),
    `UPDATE schema_version SET version = ${migrations.length}`,
  ]
}

/** The key allows one row. */
const versionTable = [
  'CREATE TABLE schema_version (one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT NULL)',
  'INSERT INTO schema_version (version) VALUES (0)',
]
