/** Which server the directory was last used on: another one may have lost changes, and with them cut-offs. */

import { sql } from 'kysely'
import type { Change, Origin } from '../../directory/port/change.ts'
import type { Directory, Tables } from '../../directory/port/directory.ts'

export const setting = 'postgres server'

export interface Meeting {
  readonly origin: Origin
  readonly schema: string
  readonly changes?: readonly Change[]
  /** The largest number that this hub has seen. A server below it has lost changes, whatever it is called. */
  readonly seen?: number
}

/** True if the server took the place of another one: then every storage token of before has ended. */
export async function meetServer(
  directory: Directory,
  { origin, schema, changes = [], seen = 0 }: Meeting,
): Promise<boolean> {
  const isKnown = await directory.read(
    async (tables) => (await knownServer(tables)) === (await identityOf(tables as Tables, schema)),
  )
  if (isKnown && changes.length === 0) return false
  let isOther = false
  await directory.note('database server', async ({ tables, putAs }) => {
    const [before, server] = [await knownServer(tables), await identityOf(tables, schema)]
    const isOlder = (await lastNumber(tables)) < seen
    isOther = isOlder || (before !== undefined && before !== server)
    const cut: Change[] = isOther ? [{ thing: 'cut-off', cuts: [{ kind: 'all', id: '' }] }] : []
    await putAs(origin)([...changes, ...cut])
    if (before !== server) await remember(tables, server)
  })
  return isOther
}

/** A promoted replica has another timeline, a copy elsewhere another system identifier, a dump that was put back another table. */
async function identityOf(tables: Tables, schema: string): Promise<string> {
  const { rows } = await sql<{ identity: string }>`
    SELECT concat_ws(' ', (SELECT system_identifier FROM pg_control_system()),
      left(pg_walfile_name(pg_current_wal_lsn()), 8), ${`${schema}.journal_head`}::regclass::oid) AS identity`.execute(
    tables,
  )
  return rows[0]?.identity ?? ''
}

async function lastNumber(tables: Pick<Tables, 'selectFrom'>): Promise<number> {
  const head = tables.selectFrom('journal_head').select('number')
  return (await head.executeTakeFirstOrThrow()).number
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
