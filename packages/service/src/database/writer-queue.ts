/** One connection for all writers: transactions run one after the other, each whole or not at all. */

import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { isRefusal, type Refusal, turns } from '@latchkey/protocol'
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely'
import { GrowingCache } from '../limits/cache.ts'
import { isBusy, isFull, StorageFull } from './sqlite-error.ts'

/** Another process may be writing, and SQLite lets one at a time: longer than its longest transaction. */
const lockWaitMs = 20_000

export interface WriterQueue<Schema> {
  read<Result>(work: (tables: Kysely<Schema>) => Promise<Result>): Promise<Result>
  /** One transaction; a refusal or an exception rolls it back. */
  change<Result>(
    work: (tables: Kysely<Schema>) => Promise<Result | Refusal>,
  ): Promise<Result | Refusal>
}

export function writerQueue<Schema>(database: DatabaseSync): WriterQueue<Schema> {
  const tables = tablesOf<Schema>(database)
  // Reads queue too, so that all statements of a read find the same rows.
  const inTurn = turns()
  return {
    read: (work) => inTurn(() => work(tables)),
    change: (work) =>
      inTurn(() => repeatWhileBusy(() => transact(tables, work), { isBusy, maxMs: lockWaitMs })),
  }
}

async function transact<Schema, Result>(
  tables: Kysely<Schema>,
  work: (tables: Kysely<Schema>) => Promise<Result | Refusal>,
): Promise<Result | Refusal> {
  try {
    return await tables.transaction().execute(async (transaction) => {
      const result = await work(transaction)
      if (isRefusal(result)) throw new Rollback(result)
      return result
    })
  } catch (error) {
    if (error instanceof Rollback) return error.refusal
    throw isFull(error) ? new StorageFull() : error
  }
}

/** Carries a refusal out of a transaction, so that the transaction is rolled back. */
class Rollback extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super('rolled back')
    this.refusal = refusal
  }
}

const pauseMs = 25

export async function repeatWhileBusy<Result>(
  attempt: () => Promise<Result>,
  { isBusy, maxMs }: { readonly isBusy: (error: unknown) => boolean; readonly maxMs: number },
): Promise<Result> {
  const giveUp = performance.now() + maxMs
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUp) throw error
      await delay(pauseMs)
    }
  }
}

/** Preparing costs more than most statements do. */
const maxPrepared = 200

export function tablesOf<Schema>(database: DatabaseSync): Kysely<Schema> {
  return new Kysely({ dialect: new SqliteDialect({ database: adapt(database) }) })
}

function adapt(database: DatabaseSync): SqliteDatabase {
  const prepared = new GrowingCache<string, SqliteStatement>({ most: maxPrepared })
  return {
    close: () => database.close(),
    prepare(sql) {
      // On a full disk SQLite has rolled back already.
      if (sql === 'rollback' && !database.isTransaction) return nothing
      const statement = prepared.get(sql) ?? prepare(database, sql)
      prepared.set(sql, statement)
      return statement
    },
  }
}

function prepare(database: DatabaseSync, sql: string): SqliteStatement {
  // A transaction that takes its write lock at once cannot fail half-way for want of it.
  const statement = database.prepare(sql === 'begin' ? 'BEGIN IMMEDIATE' : sql)
  return {
    reader: statement.columns().length > 0,
    all: (values) => statement.all(...(values as SQLInputValue[])),
    run: (values) => statement.run(...(values as SQLInputValue[])),
    iterate: (values) => statement.iterate(...(values as SQLInputValue[])),
  }
}

const nothing: SqliteStatement = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [].values(),
}
