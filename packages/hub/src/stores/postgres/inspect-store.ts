/** The store in PostgreSQL for somebody who looks after it, and changes nothing. */

import {
  type InspectedSchema,
  inspectSchema,
  type PostgresSettings,
  tryNotification,
} from '@latchkey/service/postgres'
import type { Reading } from '../../tables/directory.ts'
import type { Schema } from '../../tables/schema.ts'
import { comparingFunctions, setting } from './known-server.ts'
import { migrations } from './migrations/migrations.ts'
import { hubSchema as schema } from './server-name.ts'

export interface InspectedPostgres extends Omit<InspectedSchema<Schema>, 'ask' | 'read'> {
  /** Undefined where a notification is heard; otherwise why not. */
  tryNotification(): Promise<string | undefined>
  /** Where a hub last used the directory: system identifier, timeline, and more; undefined before the first. */
  lastServer(): Promise<readonly string[] | undefined>
  /** Reads a schema of the newest version, also on a replica. */
  read<Result>(work: (tables: Reading) => Promise<Result>): Promise<Result>
}

/** Throws `CannotStart` where the server cannot be reached or used. */
export async function inspectPostgresStore(settings: PostgresSettings): Promise<InspectedPostgres> {
  const options = { settings, schema, migrations, functions: comparingFunctions }
  const { ask, ...inspected } = await inspectSchema<Schema>(options)
  return {
    ...inspected,
    tryNotification: () => ask((database) => tryNotification(database, settings)),
    lastServer: () => inspected.read(lastServer),
  }
}

async function lastServer(tables: Reading): Promise<readonly string[] | undefined> {
  const row = await tables
    .selectFrom('settings')
    .select('value')
    .where('name', '=', setting)
    .executeTakeFirst()
  return row?.value.split(' ')
}
