/** Which server the directory was last used on: another one may have lost changes, and with them cut-offs. */

import type { ServerGuard } from '@latchkey/service/postgres'
import { sql } from 'kysely'
import type { Change, Origin } from '../../tables/change.ts'
import type { BookkeepingTransaction, Directory, Tables } from '../../tables/directory.ts'
import { endSignIns } from '../../tables/end-sign-ins.ts'
import type { FollowedHead } from './follow-head.ts'
import { ofWhom, oneHead, serverOf } from './server-name.ts'

export const setting = 'postgres server'

/** Every role may call them unless an operator has revoked it. */
export const comparingFunctions = [
  ...['pg_control_system()', 'pg_current_wal_lsn()', 'pg_walfile_name(pg_lsn)'],
  'pg_postmaster_start_time()',
]

interface Meeting {
  readonly origin: Origin
  readonly schema: string
  readonly changes?: readonly Change[]
  /** The largest number that this hub has seen. A server below it has lost changes, whatever it is called. */
  readonly highestNumber?: number
}

interface MetServer {
  /** As `serverOf` names it, read in the transaction that compared it. */
  readonly server: string
  /** It took the place of another one: then every storage token of before has ended. */
  readonly isOther: boolean
}

export async function meetServer(
  directory: Directory,
  { origin, schema, changes = [], highestNumber = 0 }: Meeting,
): Promise<MetServer> {
  const { storedIdentity, identity, server } = await directory.read((tables) =>
    namesOf(tables as Tables, schema),
  )
  if (storedIdentity === identity && changes.length === 0) return { server, isOther: false }
  let met: MetServer | undefined
  const compare = async ({ tables, number, putAs }: BookkeepingTransaction) => {
    // Compared again, because this transaction may have reached another server than the one before.
    const { storedIdentity, identity, server } = await namesOf(tables, schema)
    const isOlder = (await lastNumber(tables)) < highestNumber
    const isOther = isOlder || (storedIdentity !== undefined && storedIdentity !== identity)
    const cut: Change[] = isOther ? [{ thing: 'cut-off', cuts: [{ kind: 'all', id: '' }] }] : []
    // A number is in milliseconds, and not behind the clock.
    const ended = isOther ? await endSignIns(tables, Math.floor(number / 1000)) : []
    await putAs(origin)([...changes, ...cut, ...ended])
    if (storedIdentity !== identity) await remember(tables, identity)
    met = { server, isOther }
  }
  await directory.note('database server', compare, { above: highestNumber })
  if (met === undefined) throw new Error('the server was not compared')
  return met
}

interface Names {
  /** The identity under which hubs last worked; undefined before the first. */
  readonly storedIdentity: string | undefined
  readonly identity: string
  readonly server: string
}

/** A promoted replica has another timeline, a copy elsewhere another system identifier, a dump that was put back another table. */
async function namesOf(tables: Tables, schema: string): Promise<Names> {
  const { rows } = await sql<Omit<Names, 'known'>>`
    SELECT concat_ws(' ', (SELECT system_identifier FROM pg_control_system()),
      left(pg_walfile_name(pg_current_wal_lsn()), 8), ${`${schema}.journal_head`}::regclass::oid) AS identity,
      ${sql.raw(serverOf('head'))} AS server
    FROM ${sql.raw(oneHead(schema))}`.execute(tables)
  const [names] = rows
  if (names === undefined) throw new Error('the journal has no head')
  return { ...names, storedIdentity: await knownServer(tables) }
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

/** Which server answered, and the journal's last number there. */
export interface AnsweredBy {
  readonly head_number: number
  readonly is_replica: 0 | 1
  readonly server: string
}

/** The answers are of the server that was compared, and have every change that this hub knew of when it asked. */
export function comparedServer(
  head: Pick<FollowedHead, 'compared' | 'lookAnew'>,
  schema: string,
): ServerGuard {
  const question = `SELECT ${ofWhom('head')} FROM ${oneHead(schema)}`
  return {
    expect() {
      const { number, server } = head.compared()
      return {
        question,
        isServer(row) {
          // The columns of `ofWhom`.
          const { head_number, is_replica, server: found } = (row ?? {}) as Partial<AnsweredBy>
          return found === server && is_replica === 0 && Number(head_number) >= number
        },
      }
    },
    meet: head.lookAnew,
  }
}
