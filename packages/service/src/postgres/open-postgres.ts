/** A PostgreSQL database for a service: reads from one snapshot, changes that happen whole or not at all. */

import { isRefusal } from '@latchkey/protocol'
import type { Kysely } from 'kysely'
import type { PoolClient } from 'pg'
import { CannotStart } from '../cannot-start.ts'
import { repeatWhileBusy } from '../database/repeat-while-busy.ts'
import type { WriterQueue } from '../database/writer-queue.ts'
import { ask } from './ask.ts'
import { type Connections, connections } from './connections.ts'
import { explainPostgres } from './explain-postgres.ts'
import { type MigrationOptions, migrateOn } from './migrate-postgres.ts'
import { tablesOn } from './one-client-dialect.ts'
import { ConnectionLost, NoneFree } from './own-errors.ts'
import { isBusy, isStalePlan } from './postgres-error.ts'
import { schemaName } from './schema-name.ts'
import type { PostgresSettings } from './settings.ts'
import { type InSlot, slots } from './slots.ts'
import { timeColumns } from './time-columns.ts'
import { type Transaction, type TransactionKind, transaction } from './transaction.ts'
import { translated } from './translate-error.ts'

export interface PostgresOptions {
  readonly settings: PostgresSettings
  /** Where unqualified names of tables are looked up. */
  readonly schema: string
  /** Brought to this program's version first, by the connection that is then used. */
  readonly migrated?: Omit<MigrationOptions, 'settings'>
  /** The columns of type `timestamptz`, in all tables. */
  readonly timeColumns?: readonly string[]
  readonly connections?: number
  /** How many changes this process makes at the same time. */
  readonly changesAtOnce?: number
  /** Of the connections, so many are never taken by reads: however slow those are, a change goes through. */
  readonly keptForChanges?: number
  /** Below the statement's, which would otherwise hide that it was a lock. */
  readonly lockTimeoutMs?: number
  readonly statementTimeoutMs?: number
  /** After this the connection is closed, because the server itself would have given up before. */
  readonly deadlineMs?: number
  /** How long a change is repeated while others are in its way. */
  readonly busyWaitMs?: number
  /** Refuse a replica also for reading; true unless told otherwise. */
  readonly primaryOnly?: boolean
}

/** One statement for reading, in one round trip outside of a transaction: names of tables need their schema. */
export interface NamedQuery {
  readonly name: string
  readonly text: string
  readonly values?: readonly unknown[]
}

export interface PostgresDatabase<Schema> extends WriterQueue<Schema> {
  query<Row>(query: NamedQuery): Promise<readonly Row[]>
  /** A pooler such as pgbouncer stands before the server: LISTEN needs another address. */
  isPooled(): boolean
  close(): Promise<void>
}

/** Throws `CannotStart` where the server cannot be used. */
export async function openPostgres<Schema>(
  options: PostgresOptions,
): Promise<PostgresDatabase<Schema>> {
  const { settings, deadlineMs = 10_000, changesAtOnce = 1, busyWaitMs = 20_000 } = options
  const { connections: most = 10, keptForChanges = 0 } = options
  const pool = connections(settings, { most, deadlineMs })
  const transact = transacting<Schema>(pool, options)
  const inChange = changeSlots(changesAtOnce, busyWaitMs)
  const inConnection = connectionSlots(most, settings)
  const inReadSlot = connectionSlots(most - keptForChanges, settings)
  const inReading: InSlot = (work) => inReadSlot(() => inConnection(work))
  await refuseUnusable(pool, options)
  return {
    read: (work) => translated(settings, 'read', () => inReading(() => transact('read', work))),
    change(work) {
      const startedMs = performance.now()
      const attempt = () => inConnection(() => transact('change', work))
      // What it waited for its turn is part of it: a client waits for the whole.
      const restMs = () => busyWaitMs - (performance.now() - startedMs)
      return translated(settings, 'change', () =>
        inChange(() => repeatWhileBusy(attempt, { isBusy, mostMs: restMs() })),
      )
    },
    query: (query) =>
      translated(settings, 'read', () => inReading(() => oneQuery(pool, query, deadlineMs))),
    isPooled: pool.isPooled,
    close: pool.close,
  }
}

function connectionSlots(count: number, { connectTimeoutMs }: PostgresSettings): InSlot {
  const inUse = `all ${count} connections that this process has for it are in use`
  return slots(count, {
    mostWaitMs: connectTimeoutMs,
    none: () => new NoneFree(`${inUse}. Look for slow statements in pg_stat_activity.`),
  })
}

function changeSlots(count: number, mostWaitMs: number): InSlot {
  const none = () =>
    new NoneFree('other changes of this process took too long. Try again in a moment.')
  return slots(count, { mostWaitMs, none })
}

async function refuseUnusable(
  pool: Connections,
  { settings, migrated }: PostgresOptions,
): Promise<void> {
  try {
    const client = await pool.take()
    let isUsable = false
    try {
      if (migrated) await migrateOn(client, { settings, ...migrated })
      isUsable = true
    } finally {
      client.release(!isUsable)
    }
  } catch (error) {
    await pool.close()
    throw error instanceof CannotStart ? error : new CannotStart(explainPostgres(error, settings))
  }
}

type Work<Schema, Result> = (tables: Kysely<Schema>) => Promise<Result>

function transacting<Schema>(pool: Connections, options: PostgresOptions) {
  const { lockTimeoutMs = 4500, statementTimeoutMs = 5000, deadlineMs = 10_000 } = options
  const { primaryOnly = true } = options
  const schema = schemaName(options.schema)
  const bounds = { schema, lockTimeoutMs, statementTimeoutMs, deadlineMs, primaryOnly }
  const plugins = [timeColumns(options.timeColumns ?? [])]
  return async <Result>(kind: TransactionKind, work: Work<Schema, Result>): Promise<Result> => {
    const client = await pool.take()
    const current = transaction(client, kind, bounds)
    return await finish(client, current, async () => {
      await current.begin()
      return await work(tablesOn<Schema>(current.execute, plugins))
    })
  }
}

/** Commits unless the work threw or was refused; a connection whose transaction did not end is closed. */
async function finish<Result>(
  client: PoolClient,
  current: Transaction,
  work: () => Promise<Result>,
): Promise<Result> {
  let ended = false
  try {
    const result = await work()
    if (!isRefusal(result)) {
      await current.commit()
      ended = true
    }
    return result
  } finally {
    client.release(!(ended || (await isRolledBack(current))))
  }
}

function isRolledBack(current: Transaction): Promise<boolean> {
  return current.rollback().then(
    () => true,
    () => false,
  )
}

async function oneQuery<Row>(
  pool: Connections,
  { name, text, values = [] }: NamedQuery,
  deadlineMs: number,
): Promise<readonly Row[]> {
  const client = await pool.take()
  let isUsable = true
  try {
    const question = { ...(!pool.isPooled() && { name }), text, values: [...values] }
    const { rows } = await ask(client, question, deadlineMs)
    // The row's type is what the caller wrote the statement for.
    return rows as Row[]
  } catch (error) {
    isUsable = !(error instanceof ConnectionLost || isStalePlan(error))
    throw error
  } finally {
    client.release(!isUsable)
  }
}
