import { sql } from 'kysely'
import { CannotStart } from '../machine/errors.ts'
import { type MigrationOptions, migratePostgres, pendingSql } from '../postgres/migrate-postgres.ts'
import { openPostgres, type PostgresDatabase } from '../postgres/open-postgres.ts'
import { type PostgresSettings, placeOf } from '../postgres/settings.ts'
import type { AnySchema, AnyTables, CopySource, CopyTarget } from './copy-side.ts'

export interface PostgresKind extends Omit<MigrationOptions, 'settings'> {
  /** Tables whose column `position` comes from a sequence. */
  readonly withPositions: readonly string[]
  /** The service that works on the schema: `a hub`. */
  readonly user: string
}

/** The transaction of a client whose machine is gone holds its lock for no longer than one statement may take. */
const maxStatementMs = 600_000

/** Others may go on working: the copy has what was there when it began. */
export async function openSchemaSource(
  settings: PostgresSettings,
  kind: PostgresKind,
): Promise<CopySource> {
  const place = placeIn(settings)
  const { schema, user } = kind
  if ((await pendingSql({ settings, ...kind })) !== '') {
    throw new CannotStart(
      `${place} has no schema ${schema} of this program's version. Name the database of ${user}, or run "latchkey migrate" on it first.`,
    )
  }
  const { read, close } = await open(settings, kind)
  return { place, read, close }
}

/** Makes the schema where there is none. */
export async function openSchemaTarget(
  settings: PostgresSettings,
  kind: PostgresKind,
): Promise<CopyTarget> {
  await migratePostgres({ settings, ...kind })
  const { change, close } = await open(settings, kind)
  const finish = (tables: AnyTables) => moveSequences(tables, kind)
  return { place: placeIn(settings), change, close, finish }
}

function open(
  settings: PostgresSettings,
  { schema }: PostgresKind,
): Promise<PostgresDatabase<AnySchema>> {
  return openPostgres<AnySchema>({
    settings,
    schema,
    connections: 1,
    statementTimeoutMs: maxStatementMs,
    deadlineMs: maxStatementMs,
    // A copy is begun again by its operator.
    reconnectWaitMs: 0,
  })
}

/** Positions that were inserted do not move the sequence from which the next one comes. */
async function moveSequences(
  tables: AnyTables,
  { schema, withPositions }: PostgresKind,
): Promise<void> {
  for (const table of withPositions) {
    const { last } = await tables
      .selectFrom(table)
      .select(({ fn }) => fn.max('position').as('last'))
      .executeTakeFirstOrThrow()
    const sequence = sql`pg_get_serial_sequence(${`${schema}.${table}`}, 'position')`
    const next = Number(last ?? 0) + 1
    await sql`SELECT setval(${sequence}, ${next}, false)`.execute(tables)
  }
}

function placeIn(settings: PostgresSettings): string {
  return `PostgreSQL (${placeOf(settings)})`
}
