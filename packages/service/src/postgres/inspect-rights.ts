/** What the role of a connection may do: with the tables of a schema, and beyond them. */

import type { PostgresDatabase } from './open-postgres.ts'
import { schemaName } from './schema-name.ts'

export interface InspectedRights {
  readonly role: string
  /** Where it is missing, all tables look as if they were not there. */
  readonly mayUseSchema: boolean
  /** It may change and drop the tables, and so migrate them. */
  readonly ownsSchema: boolean
  /** For reading and writing rows, such as `UPDATE on accounts`. */
  readonly missing: readonly string[]
  /** Such as `SUPERUSER`, or a role of PostgreSQL that reads everything. */
  readonly excessive: readonly string[]
}

interface Row {
  readonly kind: 'role' | 'uses' | 'owns' | 'missing' | 'excessive'
  readonly name: string
}

/** Roles that reach beyond the tables that were granted. */
const mightyRoles = [
  ...['pg_read_all_data', 'pg_write_all_data', 'pg_read_server_files', 'pg_write_server_files'],
  'pg_execute_server_program',
]

function questionAbout(schema: string): string {
  const attribute = (column: string, name: string) =>
    `SELECT 'excessive', '${name}' FROM own WHERE ${column}`
  return `WITH own AS (SELECT * FROM pg_roles WHERE rolname = current_user),
    space AS (SELECT * FROM pg_namespace WHERE nspname = '${schema}')
  SELECT 'role' AS kind, rolname::text AS name FROM own
  UNION ALL SELECT 'uses', nspname FROM space WHERE has_schema_privilege(oid, 'USAGE')
  UNION ALL SELECT 'owns', nspname FROM space WHERE pg_has_role(nspowner, 'USAGE')
  UNION ALL SELECT 'missing', wanted || ' on ' || relname
    FROM pg_class JOIN space ON relnamespace = space.oid,
      unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS wanted
    WHERE relkind IN ('r', 'p') AND NOT has_table_privilege(pg_class.oid, wanted)
      AND (relname <> 'schema_version' OR wanted = 'SELECT')
  UNION ALL ${attribute('rolsuper', 'SUPERUSER')}
  UNION ALL ${attribute('rolcreaterole', 'CREATEROLE')}
  UNION ALL ${attribute('rolcreatedb', 'CREATEDB')}
  UNION ALL ${attribute('rolreplication', 'REPLICATION')}
  UNION ALL ${attribute('rolbypassrls', 'BYPASSRLS')}
  UNION ALL SELECT 'excessive', 'member of ' || granted.rolname
    FROM pg_roles AS granted, own
    WHERE granted.rolname IN (${mightyRoles.map((name) => `'${name}'`).join(', ')})
      AND NOT own.rolsuper AND pg_has_role(granted.oid, 'MEMBER')
  UNION ALL SELECT 'excessive', 'the schema ' || nspname
    FROM pg_namespace AS other, own
    WHERE nspname LIKE 'latchkey\\_%' AND nspname <> '${schema}'
      AND NOT own.rolsuper AND has_schema_privilege(other.oid, 'USAGE')
  ORDER BY 1, 2`
}

export async function inspectRights(
  { query }: Pick<PostgresDatabase<unknown>, 'query'>,
  schema: string,
): Promise<InspectedRights> {
  const text = questionAbout(schemaName(schema))
  const rows = await query<Row>({ name: 'latchkey_inspect_rights', text })
  const named = (wanted: Row['kind']) =>
    rows.filter(({ kind }) => kind === wanted).map(({ name }) => name)
  return {
    role: named('role')[0] ?? '',
    mayUseSchema: named('uses').length > 0,
    ownsSchema: named('owns').length > 0,
    missing: named('missing'),
    excessive: named('excessive'),
  }
}
