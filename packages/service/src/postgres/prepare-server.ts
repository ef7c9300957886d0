/** Brings the server of a service to this program's version, or says why it cannot be used. */

import type { PoolClient } from 'pg'
import { CannotStart } from '../machine/cannot-start.ts'
import { ask } from './ask.ts'
import type { Connections } from './connections.ts'
import { explainPostgres } from './explain-postgres.ts'
import { type Ask, inspectRights, type NeededRights, rightsProblem } from './inspect-rights.ts'
import { type MigrationOptions, migrateOn } from './migrate-postgres.ts'
import { type PostgresSettings, placeOf } from './settings.ts'

export type Migrated = Omit<MigrationOptions, 'settings'> & Pick<NeededRights, 'functions'>

interface Preparation {
  readonly settings: PostgresSettings
  readonly migrated?: Migrated
}

/** Closes the connections and throws `CannotStart` where the server cannot be used. */
export async function prepareServer(
  pool: Connections,
  { settings, migrated }: Preparation,
): Promise<void> {
  try {
    const client = await pool.take()
    let isUsable = false
    try {
      if (migrated) await migrate(client, settings, migrated)
      isUsable = true
    } finally {
      client.release(!isUsable)
    }
  } catch (error) {
    await pool.close()
    throw error instanceof CannotStart ? error : new CannotStart(explainPostgres(error, settings))
  }
}

async function migrate(
  client: PoolClient,
  settings: PostgresSettings,
  migrated: Migrated,
): Promise<void> {
  await refuseLackingRights(client, settings, migrated)
  const { from, to } = await migrateOn(client, { settings, ...migrated })
  if (from !== to) await refuseLackingRights(client, settings, migrated)
}

/** In the words of `latchkey doctor`. */
async function refuseLackingRights(
  client: PoolClient,
  settings: PostgresSettings,
  { missing, ...needed }: Migrated,
): Promise<void> {
  const query: Ask = async <Row>({ text }: { readonly text: string }) =>
    (await ask(client, text, settings.connectTimeoutMs)).rows as Row[]
  const rights = await inspectRights(query, needed)
  const problem = rightsProblem(rights, needed)
  // Where the schema is not to be made, `missing` says what to do without it.
  if (problem === undefined || (missing !== undefined && rights.lacksTables)) return
  const { found, todo } = problem
  throw new CannotStart(`PostgreSQL (${placeOf(settings)}): the role ${found}. ${todo}`)
}
