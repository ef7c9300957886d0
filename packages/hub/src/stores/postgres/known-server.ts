/** Which server the directory was last used on: another one may have lost changes, and with them cut-offs. */

import type { PostgresDatabase } from '@latchkey/service/postgres'
import type { Change, Origin } from '../../directory/port/change.ts'
import type { Directory, Tables } from '../../directory/port/directory.ts'

const setting = 'postgres server'

export interface KnowingServer {
  readonly database: Pick<PostgresDatabase<unknown>, 'query'>
  readonly directory: Directory
  readonly origin: Origin
}

/** True if the server took the place of another one: then every storage token of before has ended. */
export async function meetServer(
  { database, directory, origin }: KnowingServer,
  changes: readonly Change[] = [],
): Promise<boolean> {
  const server = await identityOf(database)
  const known = await directory.read((tables) => knownServer(tables as Tables))
  if (known === server && changes.length === 0) return false
  let isOther = false
  await directory.note('database server', async ({ tables, putAs }) => {
    const before = await knownServer(tables)
    isOther = before !== undefined && before !== server
    const cut: Change[] = isOther ? [{ thing: 'cut-off', cuts: [{ kind: 'all', id: '' }] }] : []
    await putAs(origin)([...changes, ...cut])
    if (before !== server) await remember(tables, server)
  })
  return isOther
}

/** A restored copy has another system identifier, a promoted replica another timeline. */
async function identityOf(database: KnowingServer['database']): Promise<string> {
  const [row] = await database.query<{ identity: string }>({
    name: 'latchkey_server',
    text: `SELECT concat_ws(' ', (SELECT system_identifier FROM pg_control_system()),
             left(pg_walfile_name(pg_current_wal_lsn()), 8)) AS identity`,
  })
  return row?.identity ?? ''
}

async function knownServer(tables: Pick<Tables, 'selectFrom'>): Promise<string | undefined> {
  const row = await tables
    .selectFrom('settings')
    .select('value')
    .where('name', '=', setting)
    .executeTakeFirst()
  return row?.value
}

async function remember(tables: Tables, server: string): Promise<void> {
  await tables
    .insertInto('settings')
    .values({ name: setting, value: server })
    .onConflict((row) => row.column('name').doUpdateSet({ value: server }))
    .execute()
}
