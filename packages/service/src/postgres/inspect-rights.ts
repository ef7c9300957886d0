/** Inspects the rights of a connection's role on the tables of a schema, and beyond them. */

import type { NamedQuery } from './ask.ts'
import { schemaName } from './migrate-postgres.ts'

export interface InspectedRights {
  /** Quoted as SQL has it. */
  readonly role: string
  /** There are no tables, and it may not make them. */
  readonly lacksTables: boolean
  /** It may change and drop the tables, and so migrate them. */
  readonly ownsSchema: boolean
  /** Such as `UPDATE on accounts`. Where `USAGE` is missing, it hides all tables and is named alone. */
  readonly missing: readonly MissingRight[]
  /** Such as `SUPERUSER`, or a role of PostgreSQL that reads everything. */
  readonly excessive: readonly string[]
}

interface MissingRight {
  readonly name: string
  /** The object as GRANT names it. */
  readonly target: string
}

/** The rights that a role needs beside those on the rows of its schema. */
export interface NeededRights {
  readonly schema: string
  /** Functions of PostgreSQL, with the types of their arguments. */
  readonly functions?: readonly string[] | undefined
}

/** A line for the operator, in a start and in `latchkey doctor`. */
export interface RightsProblem {
  readonly found: string
  readonly todo: string
}

interface Row {
  readonly kind: 'role' | 'owns' | 'closed' | 'empty' | 'missing' | 'excessive'
  readonly name: string
  readonly target: string
}

/** Roles that reach beyond the tables that were granted. */
const mightyRoles = [
  ...['pg_read_all_data', 'pg_write_all_data', 'pg_read_server_files', 'pg_write_server_files'],
  'pg_execute_server_program',
]

function questionAbout(schema: string, functions: readonly string[]): string {
  const attribute = (column: string, name: string) =>
    `SELECT 'excessive', '${name}', '' FROM own WHERE ${column}`
  const list = functions.map((name) => `'${name}'`).join(', ')
  return `WITH own AS (SELECT * FROM pg_roles WHERE rolname = current_user),
    space AS (SELECT * FROM pg_namespace WHERE nspname = '${schema}'),
    owned AS (SELECT pg_class.* FROM pg_class JOIN space ON relnamespace = space.oid WHERE relkind IN ('r', 'p'))
  SELECT 'role' AS kind, quote_ident(rolname) AS name, '' AS target FROM own
  UNION ALL SELECT 'owns', nspname, '' FROM space WHERE pg_has_role(nspowner, 'USAGE')
  UNION ALL SELECT 'closed', 'USAGE on the schema ' || nspname, 'SCHEMA ' || nspname
    FROM space WHERE NOT has_schema_privilege(oid, 'USAGE') AND EXISTS (SELECT FROM owned)
  UNION ALL SELECT 'empty', 'CREATE on the database ' || current_database(), 'DATABASE ' || quote_ident(current_database())
    WHERE NOT EXISTS (SELECT FROM space) AND NOT has_database_privilege(current_database(), 'CREATE')
  UNION ALL SELECT 'empty', 'CREATE on the schema ' || nspname, 'SCHEMA ' || nspname
    FROM space WHERE NOT EXISTS (SELECT FROM owned) AND NOT has_schema_privilege(oid, 'CREATE')
  UNION ALL SELECT 'missing', wanted || ' on ' || relname, '${schema}.' || quote_ident(relname)
    FROM owned, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS wanted
    WHERE NOT has_table_privilege(owned.oid, wanted)
      AND (relname <> 'schema_version' OR wanted = 'SELECT')
  UNION ALL SELECT 'missing', 'EXECUTE on ' || needed, 'FUNCTION ' || needed
    FROM unnest(ARRAY[${list}]::text[]) AS needed WHERE NOT has_function_privilege(needed, 'EXECUTE')
  UNION ALL ${attribute('rolsuper', 'SUPERUSER')}
  UNION ALL ${attribute('rolcreaterole', 'CREATEROLE')}
  UNION ALL ${attribute('rolcreatedb', 'CREATEDB')}
  UNION ALL ${attribute('rolreplication', 'REPLICATION')}
  UNION ALL ${attribute('rolbypassrls', 'BYPASSRLS')}
  UNION ALL SELECT 'excessive', 'member of ' || granted.rolname, ''
    FROM pg_roles AS granted, own
    WHERE granted.rolname IN (${mightyRoles.map((name) => `'${name}'`).join(', ')})
      AND NOT own.rolsuper AND pg_has_role(granted.oid, 'MEMBER')
  UNION ALL SELECT 'excessive', 'the schema ' || nspname, ''
    FROM pg_namespace AS other, own
    WHERE nspname LIKE 'latchkey\\_%' AND nspname <> '${schema}'
      AND NOT own.rolsuper AND has_schema_privilege(other.oid, 'USAGE')
  ORDER BY 1, 2`
}

export type Ask = <Row>(query: NamedQuery) => Promise<readonly Row[]>

export async function inspectRights(
  query: Ask,
  { schema, functions = [] }: NeededRights,
): Promise<InspectedRights> {
  const text = questionAbout(schemaName(schema), functions)
  const rows = await query<Row>({ name: 'latchkey_inspect_rights', text })
  const of = (rowKind: Row['kind']) => rows.filter(({ kind }) => kind === rowKind)
  const [closed] = of('closed')
  return {
    role: of('role')[0]?.name ?? '',
    lacksTables: of('empty').length > 0,
    ownsSchema: of('owns').length > 0,
    missing: closed === undefined ? [...of('empty'), ...of('missing')] : [closed],
    excessive: of('excessive').map(({ name }) => name),
  }
}

/** Undefined where the role may do what a service does. */
export function rightsProblem(
  { role, missing, lacksTables }: InspectedRights,
  { schema }: NeededRights,
): RightsProblem | undefined {
  if (missing.length === 0) return undefined
  const isShown = missing.length <= maxShown
  const names = missing.slice(0, maxShown).map(({ name }) => name)
  const more = isShown ? '' : ` and ${missing.length - maxShown} more rights`
  const grants = isShown
    ? missing.map(({ name, target }) => `GRANT ${name.split(' on ')[0]} ON ${target} TO ${role};`)
    : [`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role};`]
  return {
    found: `${role} lacks ${names.join(', ')}${more}`,
    todo: `Run as the owner: ${grants.join(' ')} ${lacksTables ? byMigrating : allRights}`,
  }
}

const maxShown = 4

const byMigrating =
  'Or make the tables with "latchkey migrate" and the address of the role that owns them.'
const allRights = 'All rights are in examples/many-hubs/roles.sql.'
