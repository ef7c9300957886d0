/** PostgreSQL as one side of a copy. */

import { CannotStart } from '@latchkey/service/cannot-start'
import {
  migratePostgres,
  openPostgres,
  type PostgresDatabase,
  type PostgresSettings,
  pendingSql,
  placeOf,
} from '@latchkey/service/postgres'
import { sql } from 'kysely'
import type { Tables } from '../../directory/port/directory.ts'
import type { Schema } from '../../directory/port/schema.ts'
import type { CopySource, CopyTarget } from '../copy/copy-side.ts'
import { timeColumns } from './migrations/0001-directory.ts'
import { migrations } from './migrations/migrations.ts'
import { hubSchema as schema } from './schema-name.ts'

/** The snapshot of the source is held for as long as the copy takes. */
const longestCopyMs = 24 * 3600 * 1000

/** Hubs may go on working: the copy has what was there when it began. */
export async function openPostgresSource(settings: PostgresSettings): Promise<CopySource> {
  const place = placeIn(settings)
  if ((await pendingSql({ settings, schema, migrations })) !== '') {
    throw new CannotStart(
      `${place} has no schema ${schema} of this program's version. Name the database of a hub, or run "latchkey migrate" on it first.`,
    )
  }
  const { read, close } = await open(settings)
  return { place, read, close }
}

/** Makes the schema where there is none. */
export async function openPostgresTarget(settings: PostgresSettings): Promise<CopyTarget> {
  await migratePostgres({ settings, schema, migrations })
  const { read, change, close } = await open(settings)
  return { place: placeIn(settings), read, change, close, finish: moveSequences }
}

function open(settings: PostgresSettings): Promise<PostgresDatabase<Schema>> {
  return openPostgres<Schema>({
    settings,
    schema,
    timeColumns,
    connections: 2,
    statementTimeoutMs: longestCopyMs,
    deadlineMs: longestCopyMs,
  })
}

/** Positions that were inserted do not move the sequence from which the next one comes. */
async function moveSequences(tables: Tables): Promise<void> {
  for (const table of ['refs', 'commit_holders'] as const) {
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
